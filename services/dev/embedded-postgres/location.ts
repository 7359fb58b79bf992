import { createHash } from "node:crypto"
import { chmod, chown, lstat, mkdir, mkdtemp, readFile, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { dirname, join, resolve } from "node:path"
import { type SystemUser, isReachable, serverAccount } from "./account.ts"

/** Directories, log and system user of one server. */
export type ServerLocation = {
  /** Directory that holds all the others. */
  home: string
  /** PostgreSQL's data directory. */
  data: string
  /** Directory of the socket, mode 0700: any user who can enter it can use the database. */
  run: string
  /** The server's output. */
  logFile: string
  account: SystemUser | undefined
}

/** Name of the socket in `run`. The number is part of PostgreSQL's convention; no port is opened. */
export const SOCKET_NAME = ".s.PGSQL.5432"

/** sockaddr_un holds 104 bytes on macOS, 108 on Linux, with a closing zero. */
const SOCKET_PATH_LIMIT = 103

/** File in the requested directory that holds the path of the directory used instead. */
const MOVED_HOME_FILE = "elsewhere"

/** Creates the directories of a server, or finds them again. */
export async function prepareLocation(
  directory: string,
  log: (sentence: string) => void,
): Promise<ServerLocation> {
  const requested = resolve(directory)
  await mkdir(requested, { recursive: true, mode: 0o700 })
  const account = await serverAccount(join(requested, "data"))
  const home = account ? await homeFor(requested, account, log) : requested
  const run = await socketDirectory(home, account)
  return { home, data: join(home, "data"), run, logFile: join(home, "postgres.log"), account }
}

/**
 * The home directory when root starts the server, which then runs as another user. If that user cannot enter the requested
 * directory, home is a directory under /var/lib; a file in the requested directory holds its random name. Home belongs
 * to root: the server's user passes through it and cannot replace files in it.
 */
async function homeFor(
  requested: string,
  account: SystemUser,
  log: (sentence: string) => void,
): Promise<string> {
  const home = (await isReachable(dirname(requested), account))
    ? requested
    : await movedHome(requested, account, log)
  await mkdir(home, { recursive: true })
  await chmod(home, 0o711)
  return home
}

async function movedHome(
  requested: string,
  account: SystemUser,
  log: (sentence: string) => void,
): Promise<string> {
  const note = join(requested, MOVED_HOME_FILE)
  const known = await readFile(note, "utf8").catch(() => undefined)
  if (known) return known.trim()
  const home = await mkdtemp("/var/lib/countersign-postgres-")
  await writeFile(note, `${home}\n`, { mode: 0o600 })
  log(`running as root: the database is in ${home}, because user ${account.name} cannot enter ${requested}`)
  return home
}

/** `run` beside the data or, if its path is too long for a socket, a directory in the system's temporary directory. */
async function socketDirectory(home: string, account: SystemUser | undefined): Promise<string> {
  const near = join(home, "run")
  const isShort = Buffer.byteLength(join(near, SOCKET_NAME)) <= SOCKET_PATH_LIMIT
  const digest = createHash("sha256").update(home).digest("hex").slice(0, 16)
  const run = isShort ? near : join(tmpdir(), `countersign-${digest}`)
  await makePrivateDirectory(run, account)
  return run
}

/**
 * Creates a directory of mode 0700 that belongs to the server's user. In a shared directory another user may have created
 * the name first. They would own the socket, so the directory is refused.
 */
export async function makePrivateDirectory(path: string, account: SystemUser | undefined): Promise<void> {
  await mkdir(path, { recursive: true, mode: 0o700 })
  const found = await lstat(path)
  const allowed = [process.getuid?.(), account?.uid]
  if (!found.isDirectory() || !allowed.includes(found.uid)) throw new Error(`${path} belongs to another user`)
  await chmod(path, 0o700)
  if (account) await chown(path, account.uid, account.gid)
}
