// Signatures with keys that are in no cache, through the API and a real signer: orders and statements are counted.
import t from "tap"
import type { OrderParts, SignerAnswer } from "../../../../services/api/signer/signer.ts"
import { apiKey, ApiClient, ethereumAccount, readSetupCode, signParams } from "../../../harness/api-client.ts"
import { InProcessBoundary } from "../../../harness/boundary.ts"
import { newKey, stampWith } from "../../../harness/stamper.ts"
import { startApi } from "../start-api.ts"
import { StubSigner } from "../stub-signer.ts"

const ACCOUNTS = 20

/** Orders of the API go to a signer in this process. */
class CountedSigner extends StubSigner {
  readonly boundary = new InProcessBoundary()

  override async execute(order: OrderParts): Promise<SignerAnswer> {
    this.orders.push(order)
    const { deadline, ...parts } = order
    return (await this.boundary.execute({ ...parts, timeoutMs: deadline.leftMs })).answer
  }
}

const signer = new CountedSigner()
t.teardown(() => signer.boundary.close())
const client = new ApiClient(signer.boundary)
const api = await startApi(t, { signer, now: () => signer.boundary.clock.wallMs() })
const statements: string[] = []
// The driver calls a function of this name with each statement.
Object.assign(api.sql.options, { debug: (_connection: number, text: string) => statements.push(text) })

const root = newKey()
const setupCode = await signer.boundary.createSetupCode(root.publicKeyHex)
const { organizationId } = readSetupCode(setupCode)

async function submit(path: string, type: string, parameters: object): Promise<unknown> {
  const body = client.body(`ACTIVITY_TYPE_${type}`, organizationId, parameters)
  const headers = { "x-stamp": stampWith(root, body) }
  const reply = await api.send(`/public/v1/submit/${path}`, { method: "POST", body, headers })
  if (reply.status !== 200) throw new Error(reply.text)
  return Object.values((reply.json as { activity: { result: object } }).activity.result)[0]
}

/** Not of one signature: types, the organization once a second, the proof of a restarted signer. */
const OF_NO_REQUEST = /pg_catalog|boot_proofs|from organizations/

/** Orders and statements of one signature. */
async function costOf(signWith: string) {
  signer.orders.length = 0
  statements.length = 0
  await submit("sign_raw_payload", "SIGN_RAW_PAYLOAD_V2", signParams(signWith))
  const own = statements.filter((text) => !OF_NO_REQUEST.test(text))
  return {
    orders: signer.orders.length,
    statements: own.length,
    insertsOnly: own.every((text) => /insert into activities/.test(text)),
  }
}

const rootUser = { userName: "root", apiKeys: [apiKey(root)] }
await submit("create_organization", "CREATE_ORGANIZATION", { setupCode, organizationName: "Acme", rootUser })
const accounts = Array.from({ length: ACCOUNTS }, (_, index) => ethereumAccount(index))
const wallet = (await submit("create_wallet", "CREATE_WALLET", { walletName: "First", accounts })) as {
  addresses: [string, ...string[]]
}
const [first, ...others] = wallet.addresses

t.test("a key in no cache signs with as many orders and statements as one in the cache", async (t) => {
  await costOf(first)
  const hot = await costOf(first)
  t.strictSame(hot, { orders: 1, statements: 1, insertsOnly: true })
  for (const address of others) t.strictSame(await costOf(address), hot, address)
})

t.test("after a restart of the signer only the document is asked for", async (t) => {
  await signer.boundary.restart()
  t.match(await costOf(first), { orders: 2 })
  t.match(signer.orders[1], { documents: [Uint8Array], records: [] })
  for (const address of others) t.match(await costOf(address), { orders: 1, statements: 1 }, address)
})

t.test("a private key in no cache signs with one order", async (t) => {
  const curve = { curve: "CURVE_SECP256K1", addressFormats: ["ADDRESS_FORMAT_ETHEREUM"], privateKeyTags: [] }
  const privateKeys = [{ privateKeyName: "One", ...curve }]
  const made = (await submit("create_private_keys", "CREATE_PRIVATE_KEYS_V2", { privateKeys })) as {
    privateKeys: [{ privateKeyId: string }]
  }
  t.match(await costOf(made.privateKeys[0].privateKeyId), { orders: 1, statements: 1, insertsOnly: true })
})
