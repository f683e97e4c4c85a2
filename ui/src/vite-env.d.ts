/// <reference types="svelte" />
/// <reference types="vite/client" />
// The font packages are only style sheets.
declare module '@fontsource-variable/inter'
declare module '@fontsource-variable/jetbrains-mono'
