/** One file or symbolic link of an archive. Paths have slashes, and no leading one. */
export type FileEntry = { path: string; isExecutable: boolean; data: Buffer }
export type LinkEntry = { path: string; target: string }
/** A folder that belongs to a user of its own, with a slash at its end; all others follow from the paths of files. */
export type FolderEntry = { path: string; mode: number; user: number }
export type Entry = FileEntry | LinkEntry | FolderEntry

export function isFile(entry: Entry): entry is FileEntry {
  return "data" in entry
}

/** Entries in the order of their paths, the same on every host. @throws when two have one path */
export function inOrder(entries: readonly Entry[]): Entry[] {
  const sorted = entries.toSorted((one, other) => comparePaths(one.path, other.path))
  for (const [index, { path }] of sorted.entries())
    if (path === sorted[index + 1]?.path) throw new Error(`${path} is in the archive twice`)
  return sorted
}

/** By code units, as `LC_ALL=C sort` does for names in ASCII. */
export function comparePaths(one: string, other: string): number {
  return one < other ? -1 : Number(one > other)
}

/** A file of a release. */
export type Artifact = { name: string; sha256: string }
