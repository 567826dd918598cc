export function writeStamp(root: string): void
export function findStaleBuild(root: string): string | undefined
