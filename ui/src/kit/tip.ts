// What is shown on hovering: a line or two, however long the whole is.

const MOST = 120

export function tip(text: string): string {
  const letters = [...text]
  return letters.length > MOST ? `${letters.slice(0, MOST - 1).join('')}…` : text
}
