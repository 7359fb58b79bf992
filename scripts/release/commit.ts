import { spawnSync } from "node:child_process"
import type { Entry } from "./entry.ts"

/** The commit that a release is built from: the only source of its time. */
export type Commit = { id: string; seconds: number }

/** The largest commit is far below: git answers in one piece. */
const MAX_BYTES = 512 * 1024 * 1024

const SYMBOLIC_LINK = "120000"
const EXECUTABLE = "100755"

/** @throws when files of the checkout are not those of its commit */
export function readCommit(root: string): Commit {
  const changed = git(root, ["status", "--porcelain", "--untracked-files=normal"]).toString().trimEnd()
  if (changed !== "")
    throw new Error(
      `a release is built from a commit, and this checkout has changes; commit or remove them:\n${changed}`,
    )
  const [id = "", seconds = ""] = git(root, ["show", "--no-patch", "--format=%H %ct", "HEAD"])
    .toString()
    .trim()
    .split(" ")
  return { id, seconds: Number(seconds) }
}

/** Files of the commit at or below `paths`, from git's objects: no setting of the checkout changes a byte. */
export function filesOfCommit(root: string, { id }: Commit, paths: readonly string[]): Entry[] {
  const listed = git(root, ["ls-tree", "-r", "-z", "--full-tree", id, "--", ...paths])
    .toString()
    .split("\0")
    .filter((line) => line !== "")
    .map((line) => /^(\d+) blob ([0-9a-f]+)\t(.+)$/s.exec(line) ?? unreadable(line))
  const objects = git(root, ["cat-file", "--batch"], listed.map(([, , object]) => `${object}\n`).join(""))
  let at = 0
  return listed.map(([, mode = "", , path = ""]) => {
    const end = objects.indexOf("\n", at)
    const size = Number(objects.toString("latin1", at, end).split(" ")[2])
    const data = objects.subarray(end + 1, end + 1 + size)
    at = end + 1 + size + 1
    return mode === SYMBOLIC_LINK
      ? { path, target: data.toString() }
      : { path, isExecutable: mode === EXECUTABLE, data }
  })
}

function git(root: string, words: readonly string[], input = ""): Buffer {
  const { status, stdout, stderr, error } = spawnSync("git", words, {
    cwd: root,
    input,
    maxBuffer: MAX_BYTES,
  })
  if (status !== 0) throw new Error(`git ${words[0]}: ${error?.message ?? stderr.toString().trim()}`)
  return stdout
}

function unreadable(line: string): never {
  throw new Error(`git lists what is no file: ${line}`)
}
