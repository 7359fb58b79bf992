// Installation of one process on a host: its user, folder, settings and unit of systemd. The host is handed in.
import { UsageFault } from "../command-line.ts"
import { RELEASE_FILE } from "../release/file-list.ts"

/** The host, or a folder in its place. Paths are absolute on it. */
export type Host = {
  read(path: string): string | undefined
  /** Makes a folder with this mode, of its owner or of root. */
  makeFolder(path: string, mode: number, owner?: { user: string; group: string }): void
  write(path: string, text: string, mode: number): void
  /** Makes a user of the system who cannot log in. */
  addUser(name: string): void
}

export type InstallOrder = {
  /** Name of the process, and of its unit. */
  zone: string
  /** Top folder of the unpacked release. */
  folder: string
  /** Undefined: none. */
  reads?: SharedFolder
}

/** A folder that another process writes, whose files this one reads. `writer`: the user of that process. */
export type SharedFolder = { path: string; writer: string }

export type Installed = { user: string; unit: string; settings: string; changed: string[] }

const SETTINGS = "/etc/countersign"
const UNITS = "/etc/systemd/system"

/** The folder that units of a release name. */
const NAMED_FOLDER = "/opt/countersign"

/** Characters that units, shells and environment files read as they are. */
const PLAIN_PATH = /^\/[\w./+-]+$/

/**
 * Writes what differs from the host, and leaves settings that are there. It starts nothing.
 * @param read reads files of the release
 * @throws {UsageFault} when the folder is no release with a unit of the process
 */
export function install(
  { zone, folder, reads }: InstallOrder,
  read: (path: string) => string | undefined,
  host: Host,
): Installed {
  if (read(`${folder}/${RELEASE_FILE}`) === undefined)
    throw new UsageFault(
      `${folder} is no unpacked release: unpack an archive of a release, and run install there (docs/self-hosting.md)`,
    )
  if (!PLAIN_PATH.test(folder))
    throw new UsageFault(
      `${folder}: unpack the release where the path has letters, digits and . / + - _ alone`,
    )
  const name = `countersign-${zone}`
  const template = read(`${folder}/examples/systemd/${name}.service`)
  if (template === undefined)
    throw new UsageFault(`this archive has no unit of ${zone}: run install from the archive of ${zone}`)
  const unit = `${UNITS}/${name}.service`
  const settings = `${SETTINGS}/${zone}.env`
  const changed: string[] = []
  const users = (host.read("/etc/passwd") ?? "").split("\n")
  const isKnown = (user: string) => users.some((line) => line.startsWith(`${user}:`))
  if (reads !== undefined && !isKnown(reads.writer))
    throw new UsageFault(
      `there is no user ${reads.writer} on this host, whose files ${name} reads: run install first`,
    )
  if (!isKnown(name)) {
    host.addUser(name)
    changed.push(`user ${name}`)
  }
  host.makeFolder(`/var/lib/${name}`, 0o700, { user: name, group: name })
  // Files that the writer makes there have the reader's group.
  if (reads !== undefined) host.makeFolder(reads.path, 0o2750, { user: reads.writer, group: name })
  host.makeFolder(SETTINGS, 0o755)
  if (host.read(settings) === undefined) {
    host.write(settings, settingsText(zone), 0o600)
    changed.push(settings)
  }
  const text = template.replaceAll(NAMED_FOLDER, folder)
  if (host.read(unit) !== text) {
    host.write(unit, text, 0o644)
    changed.push(unit)
  }
  return { user: name, unit, settings, changed }
}

function settingsText(zone: string): string {
  return `# Settings of countersign-${zone}, one NAME=VALUE a line: docs/OPERATIONS.md lists them.\n`
}

/** What was done, and what comes next. */
export function linesOfInstallation({ unit, settings, changed }: Installed): string[] {
  const name = unit.slice(unit.lastIndexOf("/") + 1)
  return [
    ...(changed.length === 0
      ? ["nothing changed: this release is installed"]
      : changed.map((one) => `made ${one}`)),
    `next: settings in ${settings}, then: systemctl daemon-reload && systemctl enable --now ${name}`,
  ]
}
