import { ethereumAccount, signParams, valueOf } from "../../harness/api-client.ts"
import { Passkey } from "../../harness/authenticator.ts"
import { fingerprintOf, newKey, type Stamper } from "../../harness/stamper.ts"
import { solanaTransfer, transactionParams } from "../../harness/transactions.ts"
import { mailedKeys } from "../../harness/mailed-keys.ts"
import { child } from "../../harness/sub-organization.ts"
import type { Actors } from "../replay-case.ts"
import { replayCases } from "../replay-cases.ts"
import { asRoot } from "../setup.ts"

/** One honest request of a tenant. `older`: parameters of an earlier one of the same type. */
export type SweptOrder = {
  /** Without prefix. */
  type: string
  organizationId: string
  stamper: Stamper
  parameters: object
  older: object
  /** Unix milliseconds in the body; absent: the time of the order. */
  timestampMs?: number
}

/** Prepares a tenant and returns the request that is then altered. */
export type Prepare = (actors: Actors) => Promise<SweptOrder>

/**
 * Requests whose orders are altered, by name. Every served activity type has one, and some have further ones: other
 * credentials, logins that name the parent, votes by an identical body.
 */
export const sweptOrders: ReadonlyMap<string, Prepare> = new Map([
  ...Object.keys(replayCases).map((type) => [type, replayed(type)] as const),
  ["CREATE_ORGANIZATION", creation],
  ["DELETE_SUB_ORGANIZATION", deletion],
  ["RECOVER_USER", recovery],
  ["APPROVE_ACTIVITY", vote("APPROVE_ACTIVITY")],
  ["REJECT_ACTIVITY", vote("REJECT_ACTIVITY")],
  ["vote by an identical body", identicalBody],
  ["SIGN_RAW_PAYLOAD", signatureByPrivateKey],
  ["SIGN_RAW_PAYLOAD_V2", signature("SIGN_RAW_PAYLOAD_V2")],
  ["SIGN_RAW_PAYLOADS", signatures],
  ["SIGN_TRANSACTION", transactionByPrivateKey],
  ["SIGN_TRANSACTION_V2", transaction],
  ["transaction of Solana", solanaTransaction],
  ["signature with a passkey", withPasskey("SIGN_RAW_PAYLOAD_V2")],
  ["signature in a session", inSession],
  ["signature in a sub-organization", inSubOrganization],
  ["login with a passkey", withPasskey("STAMP_LOGIN")],
  ["login that names the parent", familyLogin],
])

/** The bodies of the replay tests. */
function replayed(type: string): Prepare {
  return async (actors) => {
    const make = replayCases[type]!
    const earlier = await make(actors)
    // A second body that is made late ends the first one's validity: it is not made at all.
    const { first, second } = typeof earlier.second === "function" ? await make(actors) : earlier
    const older = typeof second === "function" ? earlier.first : second
    return { ...ofRoot(actors), type, parameters: first, older }
  }
}

function ofRoot({ acme: { organizationId, root } }: Actors): Pick<SweptOrder, "organizationId" | "stamper"> {
  return { organizationId, stamper: root }
}

async function creation({ fixture: { client } }: Actors): Promise<SweptOrder> {
  const [current, older] = [await client.organizationBody("New"), await client.organizationBody("New")]
  const { organizationId, root: stamper } = current
  const [parameters, earlier] = [current, older].map(({ body }) => JSON.parse(body).parameters as object)
  return { type: "CREATE_ORGANIZATION", organizationId, stamper, parameters: parameters!, older: earlier! }
}

async function deletion({ fixture: { client }, acme }: Actors): Promise<SweptOrder> {
  const { organizationId, root: stamper } = await child(client, acme)
  const parameters = { deleteWithoutExport: true }
  return { type: "DELETE_SUB_ORGANIZATION", organizationId, stamper, parameters, older: {} }
}

async function recovery({ fixture, acme }: Actors): Promise<SweptOrder> {
  const { organizationId, rootUserId: userId } = acme
  const stamper = await (await mailedKeys(fixture, acme)).recoveryKey()
  const [parameters, older] = [1, 2].map(() => ({ userId, authenticator: new Passkey().create() }))
  return { type: "RECOVER_USER", organizationId, stamper, parameters: parameters!, older: older! }
}

/** The root quorum requires both root users, and root has proposed a wallet. */
async function propose(actors: Actors, walletName: string): Promise<string> {
  const { fixture, acme, alice } = actors
  const { organizationId, root, rootUserId } = acme
  const { client } = fixture
  const userIds = [rootUserId, alice.userId]
  const quorum = client.body("ACTIVITY_TYPE_UPDATE_ROOT_QUORUM", organizationId, { threshold: 2, userIds })
  await client.send(quorum, root)
  const body = client.body("ACTIVITY_TYPE_CREATE_WALLET", organizationId, { walletName, accounts: [] })
  const answer = await client.send(body, root)
  if (answer.is !== "outcome") throw new Error(`the proposal was not taken: ${JSON.stringify(answer)}`)
  return body
}

function vote(type: string): Prepare {
  return async (actors) => {
    const on = async (name: string) => ({
      fingerprint: `sha256:${fingerprintOf(await propose(actors, name))}`,
    })
    const older = await on("Older")
    const { organizationId } = actors.acme
    return { type, organizationId, stamper: actors.alice.key, parameters: await on("Newer"), older }
  }
}

async function identicalBody(actors: Actors): Promise<SweptOrder> {
  const body = JSON.parse(await propose(actors, "Newer")) as { parameters: object; timestampMs: string }
  const { organizationId } = actors.acme
  const { parameters } = body
  const older = { walletName: "Older", accounts: [] }
  const timestampMs = Number(body.timestampMs)
  return { type: "CREATE_WALLET", organizationId, stamper: actors.alice.key, parameters, older, timestampMs }
}

function signature(type: string): Prepare {
  return async (actors) => {
    const { address } = actors.fixture
    const older = signParams(address, "11".repeat(32))
    return { ...ofRoot(actors), type, parameters: signParams(address), older }
  }
}

async function createKey({ fixture: { client }, acme: { organizationId, root } }: Actors): Promise<string> {
  const key = { privateKeyName: "key", curve: "CURVE_SECP256K1", privateKeyTags: [], addressFormats: [] }
  const type = "ACTIVITY_TYPE_CREATE_PRIVATE_KEYS"
  const made = await client.submit(root, type, organizationId, { privateKeys: [key] })
  return valueOf(made, "createPrivateKeysResult").privateKeyIds[0]!
}

async function transactionByPrivateKey(actors: Actors): Promise<SweptOrder> {
  const privateKeyId = await createKey(actors)
  const [parameters, older] = [2, 1].map((nonce) => {
    const { signWith: _, ...transaction } = transactionParams("", nonce)
    return { privateKeyId, ...transaction }
  })
  return { ...ofRoot(actors), type: "SIGN_TRANSACTION", parameters: parameters!, older: older! }
}

async function transaction(actors: Actors): Promise<SweptOrder> {
  const { address } = actors.fixture
  const [parameters, older] = [transactionParams(address, 2), transactionParams(address, 1)]
  return { ...ofRoot(actors), type: "SIGN_TRANSACTION_V2", parameters, older }
}

async function solanaTransaction(actors: Actors): Promise<SweptOrder> {
  const { walletId } = actors.fixture
  const account = { curve: "CURVE_ED25519", path: "m/44'/501'/0'/0'", addressFormat: "ADDRESS_FORMAT_SOLANA" }
  const accounts = [{ ...ethereumAccount(0), ...account }]
  const made = await asRoot({ client: actors.fixture.client, acme: actors.acme }).submit(
    "CREATE_WALLET_ACCOUNTS",
    { walletId, accounts },
  )
  const signWith = valueOf(made, "createWalletAccountsResult").addresses[0]!
  const [parameters, older] = [2n, 1n].map((lamports) => {
    const { bytes } = solanaTransfer({ signers: [signWith], lamports })
    return {
      signWith,
      unsignedTransaction: Buffer.from(bytes).toString("hex"),
      type: "TRANSACTION_TYPE_SOLANA",
    }
  })
  return { ...ofRoot(actors), type: "SIGN_TRANSACTION_V2", parameters: parameters!, older: older! }
}

async function signatureByPrivateKey(actors: Actors): Promise<SweptOrder> {
  const privateKeyId = await createKey(actors)
  const [parameters, older] = ["00", "11"].map((byte) => {
    const { signWith: _, ...payload } = signParams("", byte.repeat(32))
    return { privateKeyId, ...payload }
  })
  return { ...ofRoot(actors), type: "SIGN_RAW_PAYLOAD", parameters: parameters!, older: older! }
}

async function signatures(actors: Actors): Promise<SweptOrder> {
  const several = ({ payload, ...others }: ReturnType<typeof signParams>) => ({
    ...others,
    payloads: [payload],
  })
  const { parameters, older, ...order } = await signature("SIGN_RAW_PAYLOADS")(actors)
  return { ...order, parameters: several(parameters as never), older: several(older as never) }
}

function withPasskey(type: string): Prepare {
  return async (actors) => {
    const { fixture, acme } = actors
    const stamper = new Passkey()
    const parameters = { userId: acme.rootUserId, authenticators: [stamper.create()] }
    await asRoot({ client: fixture.client, acme }).submit("CREATE_AUTHENTICATORS_V2", parameters)
    const request = type === "STAMP_LOGIN" ? replayed(type) : signature(type)
    return { ...(await request(actors)), stamper }
  }
}

async function inSession(actors: Actors): Promise<SweptOrder> {
  const { key } = await actors.fixture.client.login(actors.acme, actors.acme.root)
  return { ...(await signature("SIGN_RAW_PAYLOAD_V2")(actors)), stamper: key }
}

async function inSubOrganization({ fixture: { client }, acme }: Actors): Promise<SweptOrder> {
  const { organizationId, root: stamper, address } = await child(client, acme)
  const [parameters, older] = ["00", "11"].map((byte) => signParams(address, byte.repeat(32)))
  return { type: "SIGN_RAW_PAYLOAD_V2", organizationId, stamper, parameters: parameters!, older: older! }
}

async function familyLogin({ fixture: { client }, acme }: Actors): Promise<SweptOrder> {
  const { root: stamper } = await child(client, acme)
  const [parameters, older] = [newKey(), newKey()].map(({ publicKeyHex: publicKey }) => ({ publicKey }))
  const { organizationId } = acme
  return { type: "STAMP_LOGIN", organizationId, stamper, parameters: parameters!, older: older! }
}
