/**
 * Numbers and sizes as people read them.
 */

const STEP = 1_024

const SIZES = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB']

/** `1 204`, with a thin group separator that no locale mistakes for a decimal point. */
export function formatNumber(value: number): string {
  return String(value).replaceAll(/\B(?=(\d{3})+$)/g, ' ')
}

/** `812 bytes`, `64 MiB`, `1.5 GiB` */
export function formatBytes(bytes: number): string {
  const power = bytes < STEP ? 0 : Math.min(SIZES.length - 1, Math.floor(Math.log2(bytes) / Math.log2(STEP)))
  const value = bytes / STEP ** power
  const digits = Number.isInteger(value) || value >= 100 ? value.toFixed(0) : value.toFixed(1)
  return `${digits} ${SIZES[power] ?? ''}`
}
