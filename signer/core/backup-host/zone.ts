// A process that is installed on this host, as its unit of systemd and its settings say.
import { readFileSync } from "node:fs"
import { join } from "node:path"

/** A process with the user, the folder and the variables that its unit gives it. */
export type InstalledZone = {
  readonly name: string
  /** Top folder of its release. */
  readonly folder: string
  readonly uid: number
  readonly gid: number
  readonly environment: { readonly [name: string]: string }
}

/** Undefined: it is not installed on the host whose files lie below `root`. @throws {Error} for a unit without its user */
export function installedZone(name: string, root = "/"): InstalledZone | undefined {
  const at = (path: string) => textAt(join(root, path))
  const unit = at(`/etc/systemd/system/countersign-${name}.service`)
  const [, folder] = /^WorkingDirectory=(\/.*)$/m.exec(unit ?? "") ?? []
  const [, user] = /^User=([\w-]+)$/m.exec(unit ?? "") ?? []
  if (unit === undefined || folder === undefined || user === undefined) return undefined
  const line = at("/etc/passwd")
    ?.split("\n")
    .find((one) => one.startsWith(`${user}:`))
  const [, , uid, gid] = line?.split(":") ?? []
  if (uid === undefined || gid === undefined)
    throw new Error(
      `countersign-${name}.service runs as ${user}, who is not in /etc/passwd: run install again`,
    )
  const set = Object.fromEntries(
    [...unit.matchAll(/^Environment=([A-Z]\w*)=(.*)$/gm)].map(([, variable = "", value = ""]) => [
      variable,
      value,
    ]),
  )
  const environment = { ...set, ...variablesOf(at(`/etc/countersign/${name}.env`) ?? "") }
  return { name, folder, uid: Number(uid), gid: Number(gid), environment }
}

/** One NAME=VALUE a line, as systemd.exec(5) reads plain values and whole quoted ones. */
function variablesOf(text: string): { [name: string]: string } {
  const lines = text.split("\n").map((line) => /^([A-Z]\w*)=(.*)$/.exec(line.trim()))
  return Object.fromEntries(lines.flatMap((found) => (found ? [[found[1], unquoted(found[2] ?? "")]] : [])))
}

const unquoted = (value: string) => /^(["'])(.*)\1$/.exec(value)?.[2] ?? value

function textAt(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8")
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined
    throw error
  }
}
