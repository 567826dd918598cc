/** Numbers of things, in words. */

/** `1 session`, `2 sessions` */
export function formatCount(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}
