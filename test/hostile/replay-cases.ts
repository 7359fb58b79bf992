import { fromBinary } from "@bufbuild/protobuf"
import { RecordSchema } from "../../proto/gen/countersign/state/v1/record_pb.ts"
import { apiKey, ethereumAccount, type Tenant, userParams, valueOf } from "../harness/api-seat.ts"
import { Passkey } from "../harness/authenticator.ts"
import { newKey, type TestKey } from "../harness/stamper.ts"
import type { Stage } from "./stage.ts"

/** Two bodies of one type for the organization: what replaying the first after the second would spoil is `harm`. */
export type ReplayCase = { type: string; first: object; second: object; harm: string }

export type Cast = { scene: Stage; acme: Tenant; alice: { userId: string; key: TestKey } }

/** For every activity of this release that changes something, but births and votes, which have tests of their own. */
export const replayCases: { [type: string]: (cast: Cast) => Promise<Omit<ReplayCase, "type">> } = {
  CREATE_USERS_V3: async () => ({ ...twoUsers(), harm: "a second user with the same key" }),
  CREATE_USERS_V4: async () => ({ ...twoUsers(), harm: "a second user with the same key" }),
  CREATE_API_KEYS: async (cast) => ({ ...twoKeys(cast, firstForm), harm: "a removed key comes back" }),
  CREATE_API_KEYS_V2: async (cast) => ({ ...twoKeys(cast, apiKey), harm: "a removed key comes back" }),
  DELETE_API_KEYS: async (cast) => deletions(cast),
  CREATE_AUTHENTICATORS_V2: async ({ alice: { userId } }) => {
    const one = () => ({ userId, authenticators: [new Passkey().create()] })
    return { first: one(), second: one(), harm: "a removed passkey comes back" }
  },
  DELETE_AUTHENTICATORS: async (cast) => passkeyDeletions(cast),
  CREATE_WALLET: async () => ({
    first: { walletName: "One", accounts: [ethereumAccount(0)] },
    second: { walletName: "Two", accounts: [] },
    harm: "a second wallet for one authorization",
  }),
  CREATE_WALLET_ACCOUNTS: async ({ scene: { walletId } }) => ({
    first: { walletId, accounts: [ethereumAccount(3)] },
    second: { walletId, accounts: [ethereumAccount(4)] },
    harm: "a second account for one authorization",
  }),
  UPDATE_WALLET: async ({ scene: { walletId } }) => ({
    first: { walletId, walletName: "One" },
    second: { walletId, walletName: "Two" },
    harm: "an old name comes back",
  }),
  DELETE_WALLET_ACCOUNTS: async (cast) => accountDeletions(cast),
  STAMP_LOGIN: async () => ({
    first: { publicKey: newKey().publicKeyHex },
    second: { publicKey: newKey().publicKeyHex, invalidateExisting: true },
    harm: "a session that was ended is open again",
  }),
  UPDATE_ROOT_QUORUM: async ({ acme, alice }) => ({
    first: { threshold: 1, userIds: [acme.rootUserId, alice.userId] },
    second: { threshold: 1, userIds: [acme.rootUserId] },
    harm: "somebody who was taken out of the root quorum is in it again",
  }),
}

function twoUsers() {
  const one = (name: string) => ({ users: [userParams(name, newKey())] })
  return { first: one("dora"), second: one("emil") }
}

const firstForm = (key: TestKey) => ({ apiKeyName: "first form", publicKey: key.publicKeyHex })

function twoKeys({ alice }: Cast, form: (key: TestKey) => object) {
  const one = () => ({ userId: alice.userId, apiKeys: [form(newKey())] })
  return { first: one(), second: one() }
}

async function accountDeletions({ scene: { seat, walletId }, acme }: Cast) {
  const accounts = [ethereumAccount(5), ethereumAccount(6)]
  const type = "ACTIVITY_TYPE_CREATE_WALLET_ACCOUNTS"
  const { records } = await seat.submit(acme.root, type, acme.organizationId, { walletId, accounts })
  const [one, two] = records.map((bytes) => fromBinary(RecordSchema, bytes).id)
  const without = (id: string | undefined) => ({ walletAccountIds: [id], deleteWithoutExport: true })
  return { first: without(one), second: without(two), harm: "an account made again is deleted again" }
}

async function deletions({ scene: { seat }, acme, alice }: Cast) {
  const apiKeys = [apiKey(newKey(), "one"), apiKey(newKey(), "two")]
  const parameters = { userId: alice.userId, apiKeys }
  const made = await seat.submit(
    acme.root,
    "ACTIVITY_TYPE_CREATE_API_KEYS_V2",
    acme.organizationId,
    parameters,
  )
  const [one, two] = valueOf(made, "createApiKeysResult").apiKeyIds
  const without = (id: string | undefined) => ({ userId: alice.userId, apiKeyIds: [id] })
  return { first: without(one), second: without(two), harm: "a key is removed twice" }
}

async function passkeyDeletions({ scene: { seat }, acme, alice: { userId } }: Cast) {
  const authenticators = [new Passkey().create("one"), new Passkey().create("two")]
  const type = "ACTIVITY_TYPE_CREATE_AUTHENTICATORS_V2"
  const made = await seat.submit(acme.root, type, acme.organizationId, { userId, authenticators })
  const [one, two] = valueOf(made, "createAuthenticatorsResult").authenticatorIds
  const without = (id: string | undefined) => ({ userId, authenticatorIds: [id] })
  return { first: without(one), second: without(two), harm: "a passkey is removed twice" }
}
