import { readFile, rename, rm, writeFile } from "node:fs/promises"
import { z } from "zod"
import type { Layout } from "./layout.ts"

/** The birth that is under way: the same body again is the same activity, never a second organization. */
const Progress = z.object({ organizationId: z.string(), body: z.string(), sentAtMs: z.number() })
export type Progress = z.output<typeof Progress>

/** What the first start made. No secret. */
const Seeded = z.object({
  organizationId: z.string(),
  userId: z.string(),
  users: z.array(z.string()),
  walletId: z.string(),
  address: z.string(),
})
export type Seeded = z.output<typeof Seeded>

export async function readProgress(file: string): Promise<Progress | undefined> {
  return read(file, Progress)
}

export async function writeProgress(file: string, progress: Progress): Promise<void> {
  await write(file, progress)
}

export async function readSeeded(file: string): Promise<Seeded | undefined> {
  return read(file, Seeded)
}

/** The mark that seeding is complete: nothing is written after it. */
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

/** Under another name first: a file that is there is whole. */
async function write(file: string, content: object): Promise<void> {
  await writeFile(`${file}.new`, `${JSON.stringify(content, undefined, 2)}\n`, { mode: 0o600, flush: true })
  await rename(`${file}.new`, file)
}
