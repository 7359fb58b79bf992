import { get } from "../api-client.ts"
import { dangerouslyRevealPrivateKey } from "../api-key.ts"
import { readKey } from "../key-folder.ts"
import type { Settings } from "../settings.ts"
import type { Dev } from "./dev.ts"
import { writeEnvFile } from "./env-file.ts"
import type { Layout } from "./layout.ts"
import { freeAddress } from "./port.ts"
import { report, WARNING } from "./report.ts"
import { requireUsableKeys, type Seeding, seed } from "./seed.ts"
import { readSeeded, type Seeded } from "./seed-files.ts"
import { startAll } from "./start.ts"
import type { System } from "./system.ts"

type Pins = { signerPublicKey: string; fetcherPublicKey: string }

export type Coming = Dev & { settings: Settings; layout: Layout; system: System; signal: AbortSignal }

/** Starts everything, seeds it at the first start, and says what there is. */
export async function bringUp(coming: Coming): Promise<void> {
  const { settings, environment, layout, system, signal, options } = coming
  const { print, talk } = coming.terminal
  const began = performance.now()
  print(WARNING)
  const wantsSeed = options.seed !== false
  await requireUsableKeys(settings, layout, wantsSeed)
  const listen = {
    api: await freeAddress("COUNTERSIGN_API_LISTEN", settings.apiListen),
    authProxy: await freeAddress("COUNTERSIGN_AUTH_PROXY_LISTEN", settings.authProxyListen),
  }
  const running = await startAll({ settings, layout, environment, listen, system, signal, talk })
  const client = { url: running.url, signal }
  const seeding = { client, operator: running.operator, settings, layout, talk }
  const { seeded, written } = await seedOnce(seeding, wantsSeed)
  const pins = (await get(client, "/public/v1/pins")) as Pins
  const seconds = (performance.now() - began) / 1000
  for (const line of report({ ...running, ...pins, seeded, written, settings, seconds })) print(line)
}

/** What there is of organization Dev, and what this start wrote of it. */
async function seedOnce(
  seeding: Seeding,
  wantsSeed: boolean,
): Promise<{ seeded: Seeded | undefined; written: string[] }> {
  const { client, settings, layout, talk } = seeding
  const before = await readSeeded(layout.seeded)
  const seeded = wantsSeed ? await seed(seeding) : before
  if (seeded === undefined) return { seeded, written: [] }
  if (!wantsSeed) talk("--no-seed: an earlier start has already seeded organization Dev, which stays")
  const isNewEnv = await writeExampleValues(client.url, seeded, settings)
  return {
    seeded,
    written: [...(isNewEnv ? [settings.envFile] : []), ...(before ? [] : [settings.keysFolder])],
  }
}

/** At every start: the port may be another one than last time. False: all is as it was. */
async function writeExampleValues(
  url: string,
  seeded: Seeded,
  { envFile, keysFolder }: Settings,
): Promise<boolean> {
  const key = await readKey(keysFolder, "root")
  const privateKey = dangerouslyRevealPrivateKey(key)
  return writeEnvFile(envFile, { ...seeded, url, publicKey: key.publicKey, privateKey })
}
