import { readFile, rename, rm, writeFile } from "node:fs/promises"
import type { Layout } from "./layout.ts"

/** The request that creates organization Dev. Sent again, the same body is the same activity. */
export type SeedProgress = { organizationId: string; body: string; sentAtMs: number }

/** Result of seeding. Holds no secret. */
export type Seeded = {
  organizationId: string
  userId: string
  users: string[]
  walletId: string
  address: string
}

export async function readProgress(file: string): Promise<SeedProgress | undefined> {
  return read<SeedProgress>(file, { organizationId: isText, body: isText, sentAtMs: Number.isFinite })
}

export async function writeProgress(file: string, progress: SeedProgress): Promise<void> {
  await write(file, progress)
}

export async function readSeeded(file: string): Promise<Seeded | undefined> {
  const users = (value: unknown) => Array.isArray(value) && value.every(isText)
  return read<Seeded>(file, {
    organizationId: isText,
    userId: isText,
    users,
    walletId: isText,
    address: isText,
  })
}

/** Marks seeding as complete; it is written last. */
export async function writeSeeded({ seeded, seedProgress }: Layout, content: Seeded): Promise<void> {
  await write(seeded, content)
  await rm(seedProgress, { force: true })
}

const isText = (value: unknown) => typeof value === "string"

/** An object that `write` wrote. @throws {TypeError} naming a member that is missing or of another kind */
async function read<Content extends object>(
  file: string,
  members: { readonly [name in keyof Content]: (value: unknown) => boolean },
): Promise<Content | undefined> {
  const text = await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined
    throw error
  })
  if (text === undefined) return undefined
  const content = JSON.parse(text) as Record<string, unknown>
  for (const [name, isRight] of Object.entries<(value: unknown) => boolean>(members)) {
    if (!isRight(content[name]))
      throw new TypeError(`${file}: member ${name} is missing or has the wrong type`)
  }
  return content as Content
}

/** Writes under another name first, so that an existing file is always complete. */
async function write(file: string, content: object): Promise<void> {
  await writeFile(`${file}.new`, `${JSON.stringify(content, undefined, 2)}\n`, { mode: 0o600, flush: true })
  await rename(`${file}.new`, file)
}
