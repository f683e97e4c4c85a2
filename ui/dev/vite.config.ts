// The made-up window; not part of the product.

import { svelte } from '@sveltejs/vite-plugin-svelte'
import { defineConfig } from 'vite'
import { staticIcons } from '../static-icons'

export default defineConfig({
  root: 'dev',
  base: './',
  plugins: [staticIcons(), svelte()],
  server: { port: 5174, strictPort: true },
  build: { outDir: '../node_modules/.cache/dev', emptyOutDir: true, assetsInlineLimit: 0, target: 'es2022' },
})
