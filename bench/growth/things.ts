import { randomBytes } from "node:crypto"
import type { StampingClient } from "../suborgs/caller.ts"
import { createCustomer } from "../suborgs/creation.ts"
import { newStampKey } from "../suborgs/documents.ts"
import { createEndpoint, submitted } from "../webhooks/endpoints.ts"

/**
 * The organization in which things are made: callers of its root user, and of users to whom no policy allows anything. The
 * denials of one user are stored up to a bound a day, so that each of the users is denied in turn.
 */
export type GrowthPlace = {
  organizationId: string
  signWith: string
  root: StampingClient
  powerless: readonly StampingClient[]
}

/** Makes a thing whose growth is measured. `number`: none of its run has it yet. */
export type Make = (place: GrowthPlace, number: number) => Promise<unknown>

const account = (number: number) => ({
  curve: "CURVE_SECP256K1",
  pathFormat: "PATH_FORMAT_BIP32",
  path: `m/44'/60'/0'/0/${number}`,
  addressFormat: "ADDRESS_FORMAT_ETHEREUM",
})

const DENIED_BODY_BYTES = 40_000
const SHORT_BODY_BYTES = 64

/** A request that no policy allows, whose payload has so many characters. */
async function deny(
  { organizationId, signWith, powerless }: GrowthPlace,
  number: number,
  characters: number,
): Promise<void> {
  const payload = randomBytes(characters / 2).toString("hex")
  const parameters = {
    signWith,
    payload,
    encoding: "PAYLOAD_ENCODING_HEXADECIMAL",
    hashFunction: "HASH_FUNCTION_SHA256",
  }
  const caller = powerless[number % powerless.length]
  if (caller === undefined) throw new Error("nobody is powerless")
  const { status } = await caller.submit(
    "sign_raw_payload",
    "SIGN_RAW_PAYLOAD_V2",
    organizationId,
    parameters,
  )
  if (status !== 403) throw new Error(`a denial answered ${status}`)
}

/** Things with their names in the report, but for signatures, which a load generator makes. */
export const THINGS: Readonly<Record<string, Make>> = {
  "denied request of 40 kB": (place, number) => deny(place, number, DENIED_BODY_BYTES),
  "denied signature": (place, number) => deny(place, number, SHORT_BODY_BYTES),
  user: ({ organizationId, root }, number) => {
    const user = {
      userName: `user ${number}`,
      userTags: [],
      apiKeys: [],
      authenticators: [],
      oauthProviders: [],
    }
    return submitted(root, "create_users", "CREATE_USERS_V3", organizationId, { users: [user] })
  },
  policy: ({ organizationId, root }, number) => {
    const [effect, consensus] = ["EFFECT_ALLOW", "approvers.count() >= 2"]
    const condition = `wallet.id == '${number}'`
    const parameters = { policyName: `policy ${number}`, effect, condition, consensus, notes: "" }
    return submitted(root, "create_policy", "CREATE_POLICY_V3", organizationId, parameters)
  },
  "wallet with one account": ({ organizationId, root }, number) => {
    const parameters = { walletName: `wallet ${number}`, accounts: [account(0)] }
    return submitted(root, "create_wallet", "CREATE_WALLET", organizationId, parameters)
  },
  "sub-organization with a wallet": ({ organizationId, root }) =>
    createCustomer(root, organizationId, newStampKey().publicKeyHex),
  "change of the document": ({ organizationId, root }, number) =>
    submitted(root, "update_organization_name", "UPDATE_ORGANIZATION_NAME", organizationId, {
      organizationName: `name ${number}`,
    }),
  // Last: every later activity has a notification too.
  "notification of a webhook, with the denied signature that it tells of": async (place, number) => {
    const url = "https://receiver.invalid/"
    if (number === 0) await createEndpoint(place.root, place.organizationId, "growth", url)
    await deny(place, number, SHORT_BODY_BYTES)
  },
}
