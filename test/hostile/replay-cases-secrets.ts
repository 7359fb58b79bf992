import { Recipient, SecretUser, SUITE } from "../harness/secrets.ts"
import type { Actors, ReplayCase } from "./replay-case.ts"

const init = (numSecrets: number) => ({ encryptionSuite: SUITE, numSecrets })
const userOf = ({ fixture, acme }: Actors) => new SecretUser({ ...fixture, acme })
const CONTENTS = ["content of one", "content of two"].map((plaintext) => ({ plaintext }))

/** Secrets: import keys, imports, exports, deletions. */
export const secretReplayCases: { [type: string]: (actors: Actors) => Promise<Omit<ReplayCase, "type">> } = {
  INIT_IMPORT_SECRETS: async () => ({
    first: init(2),
    second: init(1),
    harm: "import keys that nobody asked for displace those in use",
  }),
  IMPORT_SECRETS: async (actors) => {
    const user = userOf(actors)
    const named = (name: string) => user.sealed({ plaintext: `content of ${name}`, name })
    return {
      first: await named("one"),
      second: await named("two"),
      harm: "a secret that was deleted is imported again",
    }
  },
  EXPORT_SECRETS: async (actors) => {
    const [id = ""] = await userOf(actors).import(...CONTENTS)
    const one = () => ({ secrets: [new Recipient().asks(id)] })
    return { first: one(), second: one(), harm: "a secret is exported again without its user's stamp" }
  },
  DELETE_SECRETS: async (actors) => {
    const [one, two] = await userOf(actors).import(...CONTENTS)
    return { first: { secretIds: [one] }, second: { secretIds: [two] }, harm: "a secret is deleted twice" }
  },
}
