/** A change of the source that changes no behaviour, with the reason. `original` and `replacement` as in the results. */
export type Equivalent = { file: string; original: string; replacement: string; reason: string }

/** Changes of one file that have one reason. */
type Reasoned = { reason: string; changes: readonly (readonly [original: string, replacement: string])[] }

/** The changes of a folder's files, by file. */
export function inFolder(folder: string, files: { [file: string]: readonly Reasoned[] }): Equivalent[] {
  return Object.entries(files).flatMap(([name, reasoned]) =>
    reasoned.flatMap(({ reason, changes }) =>
      changes.map(([original, replacement]) => ({
        file: `${folder}/${name}`,
        original,
        replacement,
        reason,
      })),
    ),
  )
}
