import '@fontsource-variable/inter'
import '@fontsource-variable/jetbrains-mono'
import { mount } from 'svelte'
import App from './App.svelte'
import { tauriBackend } from './lib/backend'
import './styles/base.css'
import './styles/tokens.css'
const target = document.getElementById('app')
if (!target) throw new Error('the page has no place for the app')
mount(App, { target, props: { backend: tauriBackend } })
