import { readFile, rename, rm, writeFile } from "node:fs/promises"
import { z } from "zod"
import type { Layout } from "./layout.ts"

/** The request that creates organization Dev. Sent again, the same body is the same activity. */
const Progress = z.object({ organizationId: z.string(), body: z.string(), sentAtMs: z.number() })
export type SeedProgress = z.output<typeof Progress>

/** Result of seeding. Holds no secret. */
const Seeded = z.object({
  organizationId: z.string(),
  userId: z.string(),
  users: z.array(z.string()),
  walletId: z.string(),
  address: z.string(),
})
export type Seeded = z.output<typeof Seeded>

export async function readProgress(file: string): Promise<SeedProgress | undefined> {
  return read(file, Progress)
}

export async function writeProgress(file: string, progress: SeedProgress): Promise<void> {
  await write(file, progress)
}

export async function readSeeded(file: string): Promise<Seeded | undefined> {
  return read(file, Seeded)
}

/** Marks seeding as complete; it is written last. */
export async function writeSeeded({ seeded, seedProgress }: Layout, content: Seeded): Promise<void> {
  await write(seeded, content)
  await rm(seedProgress, { force: true })
}

async function read<S extends z.ZodType>(file: string, schema: S): Promise<z.output<S> | undefined> {
  const text = await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined
    throw error
  })
  return text === undefined ? undefined : schema.parse(JSON.parse(text))
}

/** Writes under another name first, so that an existing file is always complete. */
async function write(file: string, content: object): Promise<void> {
  await writeFile(`${file}.new`, `${JSON.stringify(content, undefined, 2)}\n`, { mode: 0o600, flush: true })
  await rename(`${file}.new`, file)
}
