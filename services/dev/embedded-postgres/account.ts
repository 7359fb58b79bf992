import { readFile, stat } from "node:fs/promises"
import { dirname } from "node:path"

/** The system user of a server that root starts: PostgreSQL refuses to run as root. */
export type SystemUser = { name: string; uid: number; gid: number }

/** Candidates for that user, in order of preference. initdb needs one that /etc/passwd names. */
const CANDIDATES = ["postgres", "_postgres", "nobody"]

/**
 * The system user for the server. Undefined: this process is not root, and the server has the same user. An existing
 * data directory keeps its owner, so that its files stay readable. Otherwise the first candidate of this machine.
 */
export async function serverAccount(dataDirectory: string): Promise<SystemUser | undefined> {
  if (process.getuid?.() !== 0) return undefined
  const known = readAccounts(await readFile("/etc/passwd", "utf8"))
  const owner = await stat(dataDirectory).then(
    (found) => found.uid,
    () => 0,
  )
  const account =
    owner === 0
      ? CANDIDATES.map((name) => known.find((entry) => entry.name === name)).find((entry) => entry)
      : known.find((entry) => entry.uid === owner)
  if (account) return account
  throw new Error(
    "PostgreSQL does not run as root, and this machine names no unprivileged user for it. " +
      "Start as an ordinary user, or set DATABASE_URL to a PostgreSQL of your own",
  )
}

/** Lines of passwd(5): name:password:uid:gid:… */
function readAccounts(passwd: string): SystemUser[] {
  return passwd
    .split("\n")
    .map((line) => line.split(":"))
    .map(([name = "", , uid, gid]) => ({ name, uid: Number(uid), gid: Number(gid) }))
    .filter((entry) => entry.name !== "" && entry.uid > 0 && entry.gid >= 0)
}

/** True if the account can read `path`, passing through every directory above it. Only mode bits are read. */
export async function isReachable(path: string, account: SystemUser): Promise<boolean> {
  const found = await stat(path).catch(() => undefined)
  if (!found) return false
  const shift = found.uid === account.uid ? 6 : found.gid === account.gid ? 3 : 0
  const needed = found.isDirectory() ? 0b001 : 0b100
  if (((found.mode >> shift) & needed) === 0) return false
  const parent = dirname(path)
  return parent === path || isReachable(parent, account)
}
