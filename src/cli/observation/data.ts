/** What a look found, as programs read it: times as RFC 3339, and null for what is not known. */
import type { AnnouncedFile } from './announced.ts'
import type { Observation, SeenWorktree } from './look.ts'
import type { SeenProcess } from './seen-processes.ts'

/** One object. */
export function toData(seen: Observation): object {
  const { path, repository, worktree, ownerUid, worktrees, sessions, processes, changed, unseen } = seen
  return {
    path,
    repository: repository ?? null,
    worktree: worktree ?? null,
    ownerUid: ownerUid ?? null,
    worktrees: worktrees.map((one) => worktreeData(one)),
    daemon: sessions !== undefined,
    sessions: sessions ?? null,
    processes: processes.listed.map((process) => processData(process)),
    otherProcesses: processes.others,
    changed: changed?.map((file) => changeData(file)) ?? null,
    unseen,
  }
}

function worktreeData({ moved, saidBy, indexLock, holders, ...worktree }: SeenWorktree): object {
  const { path, gitDir, isBare, isGone, branch, commit, locked } = worktree
  return {
    path: path ?? null,
    gitDir,
    isBare,
    isGone,
    branch: branch ?? null,
    commit: commit ?? null,
    locked: locked ?? null,
    headMoved: moved === undefined ? null : { ...inTime(moved), saidBy: saidBy ?? null },
    indexLock:
      indexLock === undefined
        ? null
        : {
            path: indexLock.path,
            since: isoTime(indexLock.sinceMs),
            uid: indexLock.uid,
            holders: holders ?? null,
          },
  }
}

function inTime({ atMs, ...move }: NonNullable<SeenWorktree['moved']>): object {
  return { at: isoTime(atMs), ...move }
}

function processData({ pid, parentPid, program, runtime, session, cwd, startedMs }: SeenProcess): object {
  return {
    pid,
    parentPid: parentPid ?? null,
    program,
    runtime: runtime ?? null,
    session: session?.address ?? null,
    cwd,
    startedAt: startedMs === undefined ? null : isoTime(startedMs),
  }
}

function changeData({ path, state, changedMs, announcedBy }: AnnouncedFile): object {
  return {
    path,
    state,
    changedAt: changedMs === undefined ? null : isoTime(changedMs),
    announcedBy: announcedBy?.map(({ from, sinceMs }) => ({ from, since: isoTime(sinceMs) })) ?? null,
  }
}

function isoTime(ms: number): string {
  return new Date(ms).toISOString()
}
