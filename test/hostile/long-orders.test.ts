import t from "tap"
import { stampWith } from "../harness/stamper.ts"
import { ApiClient, ethereumAccount, signParams, valueOf } from "../harness/api-client.ts"
import { observeTurns } from "./observed-turns.ts"
import { asRoot, type Fixture, refused, setup } from "./setup.ts"
import { isLong } from "../harness/long.ts"

/** So many accounts take the signer many slices to derive. */
const accounts = Array.from({ length: 1000 }, (_, index) => ethereumAccount(index + 1))

/** The most that a request takes, in a large body, which is hashed in slices before it is read. */
const MOST = 256
/** In a body that is read at once. */
const MANY = 200

const manyPayloads = (signWith: string, count = MOST) => ({
  signWith,
  payloads: Array.from({ length: count }, (_, index) => index.toString(16).padStart(64, "0")),
  encoding: "PAYLOAD_ENCODING_HEXADECIMAL",
  hashFunction: "HASH_FUNCTION_NO_OP",
})

/** Counts the signatures of a neighbour, one after another, until the long order is answered. */
async function signaturesDuring(fixture: Fixture, order: Promise<unknown>): Promise<number> {
  const neighbour = new ApiClient(fixture.boundary)
  const acme = await neighbour.createOrganization()
  const { address } = await neighbour.wallet(acme)
  const { submit } = asRoot({ client: neighbour, acme })
  const state = { isOver: false }
  void order.finally(() => {
    state.isOver = true
  })
  let count = 0
  for (; !state.isOver; count++) {
    await submit("SIGN_RAW_PAYLOAD_V2", signParams(address))
    await new Promise((resolve) => setImmediate(resolve))
  }
  return count
}

t.test("another organization signs between the slices of a wallet with a thousand accounts", async (t) => {
  const fixture = await setup(t)
  const { submit } = asRoot(fixture)
  const order = submit("CREATE_WALLET", { walletName: "Many", accounts })
  const signatures = await signaturesDuring(fixture, order)
  t.ok(signatures > 10, `${signatures} signatures`)
  const { addresses } = valueOf(await order, "createWalletResult")
  t.equal(new Set(addresses).size, 1000)
})

t.test(
  "an order in slices is not visible in part, and no other change of its organization runs meanwhile",
  async (t) => {
    const fixture = await setup(t)
    const { boundary, acme } = fixture
    const { attempt } = asRoot(fixture)
    const { ledger } = boundary.signer.state()
    const held = () => ledger.rows(acme.organizationId, "wallet-account").length
    const before = held()
    const some = accounts.slice(0, isLong ? 1000 : 300)
    // Either order may come first: bodies are hashed in slices of time before they are queued.
    const both = Promise.all(
      [1, 2].map(() => attempt("CREATE_WALLET", { walletName: "Many", accounts: some })),
    )
    const seen = new Set<number>()
    const state = { isOver: false }
    const done = both.finally(() => {
      state.isOver = true
    })
    while (!state.isOver) {
      seen.add(held())
      await new Promise((resolve) => setImmediate(resolve))
    }
    const answers = (await done).toSorted((a, b) => a.is.localeCompare(b.is))
    seen.delete(before + some.length)
    t.same([...seen], [before])
    t.equal(held(), before + some.length)
    t.match(
      answers,
      [{ is: "outcome" }, { is: "refused", code: "NAME_TAKEN" }],
      "the second one waited for the first",
    )
  },
)

t.test("another organization signs between the parts of a request for 256 signatures", async (t) => {
  const fixture = await setup(t)
  const { submit } = asRoot(fixture)
  const p256 = { ...ethereumAccount(1), curve: "CURVE_P256", addressFormat: "ADDRESS_FORMAT_UNCOMPRESSED" }
  const wallet = await submit("CREATE_WALLET", { walletName: "P-256", accounts: [p256] })
  const [address = ""] = valueOf(wallet, "createWalletResult").addresses
  const order = submit("SIGN_RAW_PAYLOADS", manyPayloads(address))
  t.ok((await signaturesDuring(fixture, order)) > 5)
  t.equal(valueOf(await order, "signRawPayloadsResult").signatures.length, 256)
})

t.test("an account that is deleted between two signatures of a request signs no more of it", async (t) => {
  const fixture = await setup(t)
  const { submit, attempt } = asRoot(fixture)
  const p256 = { ...ethereumAccount(1), curve: "CURVE_P256", addressFormat: "ADDRESS_FORMAT_UNCOMPRESSED" }
  const wallet = await submit("CREATE_WALLET", { walletName: "P-256", accounts: [p256] })
  const { addresses, walletId } = valueOf(wallet, "createWalletResult")
  await submit("SIGN_RAW_PAYLOADS", manyPayloads(addresses[0]!))
  const order = attempt("SIGN_RAW_PAYLOADS", {
    ...manyPayloads(addresses[0]!),
    hashFunction: "HASH_FUNCTION_SHA256",
  })
  await submit("DELETE_WALLETS", { walletIds: [walletId], deleteWithoutExport: true })
  t.match(await order, { is: "refused", code: "SIGN_WITH_UNKNOWN" })
})

t.test(
  "a decided request is signed to its end, also when its user is removed between two signatures",
  async (t) => {
    const fixture = await setup(t)
    const { client, acme, address } = fixture
    const { submit } = asRoot(fixture)
    const alice = await client.user(acme, "alice")
    await submit("CREATE_POLICY_V3", { policyName: "all", effect: "EFFECT_ALLOW", notes: "" })
    const sign = () => {
      const type = "ACTIVITY_TYPE_SIGN_RAW_PAYLOADS"
      const body = client.body(type, acme.organizationId, manyPayloads(address, MANY))
      return client.offer(body, stampWith(alice.key, body))
    }
    t.match(await sign(), { is: "outcome" })
    const turns = observeTurns(t, fixture)
    turns.isHolding = true
    const order = sign()
    t.equal(turns.of(acme.organizationId), 1, "the order waits for its next turn")
    turns.isHolding = false
    await submit("DELETE_USERS", { userIds: [alice.userId] })
    await refused(t, fixture, "CREDENTIAL_UNKNOWN", sign)
    turns.release()
    const answer = await order
    if (answer.is !== "outcome") throw new Error(JSON.stringify(answer))
    t.equal(valueOf(answer.outcome, "signRawPayloadsResult").signatures.length, MANY)
  },
)
