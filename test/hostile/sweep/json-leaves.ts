/** Place of one value in a JSON text: the names and indexes that lead to it. */
export type Path = readonly (string | number)[]

export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json }

/** Every value below the root: leaves, and the arrays and objects that contain them. */
export function pathsOf(value: Json, path: Path = []): Path[] {
  if (typeof value !== "object" || value === null) return []
  return Object.entries(value).flatMap(([name, member]) => {
    const here = [...path, Array.isArray(value) ? Number(name) : name]
    return [here, ...pathsOf(member, here)]
  })
}

/** The value at a path; undefined where there is none. */
export function valueAt(value: Json | undefined, path: Path): Json | undefined {
  return path.reduce<Json | undefined>(
    (at, name) =>
      typeof at === "object" && at !== null && Object.hasOwn(at, name)
        ? (at as { [name: string]: Json })[name]
        : undefined,
    value,
  )
}

/** The text of the value without the member at the path. */
export function dropped(value: Json, path: Path): string {
  return write(value, path, () => [])
}

/** The text with the member at the path twice: a repeated name, or a repeated element. */
export function doubled(value: Json, path: Path): string {
  return write(value, path, (member) => [member, member])
}

/** The text with another value at the path. */
export function replaced(value: Json, path: Path, other: Json): string {
  return write(value, path, (member, name) => [
    name === undefined ? JSON.stringify(other) : `${name}:${JSON.stringify(other)}`,
  ])
}

type Change = (member: string, name: string | undefined) => string[]

/** Writes JSON by hand: `JSON.stringify` cannot repeat a name. */
function write(value: Json, path: Path, change: Change): string {
  const [first, ...rest] = path
  if (first === undefined || typeof value !== "object" || value === null) return JSON.stringify(value)
  const isArray = Array.isArray(value)
  const members = Object.entries(value).flatMap(([name, member]) => {
    const isOnPath = String(first) === name
    const text = isOnPath && rest.length > 0 ? write(member, rest, change) : JSON.stringify(member)
    const written = isArray ? text : `${JSON.stringify(name)}:${text}`
    if (!isOnPath || rest.length > 0) return [written]
    return change(written, isArray ? undefined : JSON.stringify(name))
  })
  return isArray ? `[${members.join()}]` : `{${members.join()}}`
}
