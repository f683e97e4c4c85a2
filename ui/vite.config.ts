import { svelte } from '@sveltejs/vite-plugin-svelte'
import { svelteTesting } from '@testing-library/svelte/vite'
import { defineConfig } from 'vitest/config'
import { staticIcons } from './static-icons'

export default defineConfig({
  plugins: [staticIcons(), svelte(), svelteTesting()],
  server: { port: 5173, strictPort: true },
  build: {
    target: 'es2022',
    // Fonts must stay files: the content policy allows no data: fonts.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
  test: {
    environment: 'jsdom',
    include: ['tests/**/*.test.ts'],
    setupFiles: ['tests/setup.ts'],
    testTimeout: 20_000,
  },
})
