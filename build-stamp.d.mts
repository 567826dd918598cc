export function writeStamp(root: string, folder?: string): void
export function findStaleBuild(root: string): string | undefined
