import { Reader } from "../harness/bundles.ts"
import type { Actors, ReplayCase } from "./replay-case.ts"
import { asRoot } from "./setup.ts"

/** Sessions that the service makes itself. */
export const sessionReplayCases: { [type: string]: (actors: Actors) => Promise<Omit<ReplayCase, "type">> } = {
  CREATE_READ_ONLY_SESSION: async () => ({
    first: {},
    second: {},
    harm: "a session for the time of an old stamp",
  }),
  CREATE_READ_WRITE_SESSION: async ({ fixture, acme, alice: { userId } }) => {
    const email = "ann@example.com"
    await asRoot({ client: fixture.client, acme }).submit("UPDATE_USER_EMAIL", { userId, userEmail: email })
    const one = () => ({ email, targetPublicKey: new Reader().targetPublicKey })
    return { first: one(), second: one(), harm: "a second session for one authorization" }
  },
  CREATE_READ_WRITE_SESSION_V2: async () => {
    const one = () => ({ targetPublicKey: new Reader().targetPublicKey, invalidateExisting: true })
    return { first: one(), second: one(), harm: "a session that was ended is open again" }
  },
}
