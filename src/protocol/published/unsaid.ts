/**
 * What the daemon refuses and JSON Schema has no word for, as the schemas tell it in their descriptions.
 *
 * @see docs/http.md §10; PD-15
 */
export function describeUnsaid(name: string): string | undefined {
  return name === '' ? '' : undefined
}
