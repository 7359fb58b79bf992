// Operations over HTTP, against the tables that were written by hand. Sequences that need more than signer and API have files of
// their own beside this one.
import t from "tap"
import { freshDatabase } from "../harness/database.ts"
import { DocumentedApi } from "../harness/documented-api.ts"
import { sharedSystem } from "../harness/shared-system.ts"
import { System } from "../harness/system.ts"
import { requireAnswered } from "./replies/asked-by.ts"
import { authProxySettings } from "./replies/auth-proxy-settings.ts"
import { bundles } from "./replies/bundles.ts"
import { core } from "./replies/core.ts"
import { interfaces } from "./replies/interfaces.ts"
import { ipAllowlists } from "./replies/ip-allowlists.ts"
import { keys } from "./replies/keys.ts"
import { madeSessions } from "./replies/made-sessions.ts"
import { mfaPolicies } from "./replies/mfa-policies.ts"
import { policies } from "./replies/policies.ts"
import { secrets } from "./replies/secrets.ts"
import type { Sequence } from "./replies/sequence.ts"
import { sessionProfiles } from "./replies/session-profiles.ts"
import { simulations } from "./replies/simulations.ts"
import { users } from "./replies/users.ts"
import { velocityControls } from "./replies/velocity-controls.ts"

const SEQUENCES = {
  core,
  users,
  keys,
  bundles,
  secrets,
  interfaces,
  policies,
  simulations,
  "session-profiles": sessionProfiles,
  "made-sessions": madeSessions,
  "mfa-policies": mfaPolicies,
  "ip-allowlists": ipAllowlists,
  "velocity-controls": velocityControls,
  "auth-proxy-settings": authProxySettings,
} as const

let withSettings: Promise<System> | undefined

/** The system of the sequences that need settings of the API: it has those of all. */
function systemWithSettings(): Promise<System> {
  return (withSettings ??= (async () => {
    const { url } = await freshDatabase(t)
    const all = Object.values<Sequence>(SEQUENCES).map(({ settings = {} }) => settings)
    const system = await System.start(url, Object.assign({}, ...all) as NodeJS.ProcessEnv)
    t.teardown(() => system.stop())
    return system
  })())
}

for (const [name, { title, settings, run }] of Object.entries(SEQUENCES))
  t.test(title, async (t) => {
    const system = await (settings === undefined ? sharedSystem() : systemWithSettings())
    const api = await DocumentedApi.of(system)
    await run(t, api)
    requireAnswered(t, api, name as keyof typeof SEQUENCES)
  })
