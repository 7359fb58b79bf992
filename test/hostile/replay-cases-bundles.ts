import { valueOf } from "../harness/api-client.ts"
import { Importer, Reader } from "../harness/bundles.ts"
import type { Actors, ReplayCase } from "./replay-case.ts"
import { asRoot } from "./setup.ts"

const WORDS = [`${"abandon ".repeat(11)}about`, `${"zoo ".repeat(11)}wrong`]
const KEYS = ["01", "02"].map((byte) => byte.repeat(32))

/** Imports, exports, and the end of wallets. */
export const bundleReplayCases: { [type: string]: (actors: Actors) => Promise<Omit<ReplayCase, "type">> } = {
  INIT_IMPORT_WALLET: async (actors) => targets(actors),
  INIT_IMPORT_PRIVATE_KEY: async (actors) => targets(actors),
  IMPORT_WALLET: async ({ fixture }) => {
    const importer = new Importer(fixture)
    return {
      first: await importer.wallet("one", WORDS[0]!),
      second: () => importer.wallet("two", WORDS[1]!),
      harm: "a wallet that was deleted is imported again",
    }
  },
  IMPORT_PRIVATE_KEY: async ({ fixture }) => {
    const importer = new Importer(fixture)
    return {
      first: await importer.key("one", KEYS[0]!),
      second: () => importer.key("two", KEYS[1]!),
      harm: "a key that was deleted is imported again",
    }
  },
  EXPORT_WALLET: async ({ fixture: { walletId } }) => exports({ walletId }),
  EXPORT_WALLET_ACCOUNT: async ({ fixture: { address } }) => exports({ address }),
  EXPORT_PRIVATE_KEY: async (actors) => {
    const { submit } = asRoot({ client: actors.fixture.client, acme: actors.acme })
    const key = { privateKeyName: "one", curve: "CURVE_P256", privateKeyTags: [], addressFormats: [] }
    const made = await submit("CREATE_PRIVATE_KEYS", { privateKeys: [key] })
    const [privateKeyId] = valueOf(made, "createPrivateKeysResult").privateKeyIds
    return exports({ privateKeyId })
  },
  DELETE_WALLETS: async ({ fixture: { client, walletId }, acme }) => {
    const other = await client.wallet(acme, "Other")
    const without = (id: string) => ({ walletIds: [id], deleteWithoutExport: true })
    return { first: without(walletId), second: without(other.walletId), harm: "a wallet is deleted twice" }
  },
}

function targets({ acme: { rootUserId: userId } }: Actors) {
  return { first: { userId }, second: { userId }, harm: "an older key to import to comes back" }
}

function exports(what: object) {
  const one = () => ({ ...what, targetPublicKey: new Reader().targetPublicKey })
  return { first: one(), second: one(), harm: "a secret goes out again without a word of its user" }
}
