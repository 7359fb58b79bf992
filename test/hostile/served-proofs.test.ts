// Honest proofs of every served activity type through the verifier. The list of types is the enclave's own.
import t from "tap"
import type { Evidence } from "../../signer/core/proof/verify/index.ts"
import { activities } from "../../signer/enclave/modules/index.ts"
import { outcomeOf, signParams, valueOf } from "../harness/api-client.ts"
import { asking, bootProofOf, pinsOf, sent, shownActivity, type Sent } from "../harness/proofs.ts"
import { Passkey } from "../harness/authenticator.ts"
import { mailedKeys } from "../harness/mailed-keys.ts"
import { newKey, type Stamper } from "../harness/stamper.ts"
import { transactionParams } from "../harness/transactions.ts"
import { subOrganization } from "../harness/sub-organization.ts"
import { altered, faultsOf, verifiers } from "./proof-setup.ts"
import { type Json, quorumOfTwo } from "./proven-fixture.ts"
import { replayCases } from "./replay-cases.ts"
import { type Fixture, setup } from "./setup.ts"
import { isLong } from "../harness/long.ts"

/** Submits an activity that asks for proofs. Returns the submission, and its votes. */
type Run = (fixture: Fixture, type: string) => Promise<[Sent, ...Sent[]]>

/** Types that the replay cases do not cover, because they sign, vote, or create or end an organization. */
const OTHERS: { readonly [type: string]: Run } = {
  CREATE_ORGANIZATION: async ({ client }) => {
    const { root, body } = await client.organizationBody("Newborn")
    const creation = JSON.stringify({ ...(JSON.parse(body) as object), generateAppProofs: true })
    return [await sent(client, creation, root)]
  },
  DELETE_SUB_ORGANIZATION: async (fixture, type) => {
    const { client, acme } = fixture
    const key = newKey()
    const creation = subOrganization([{ name: "root", key }], { version: "v7" })
    const made = await client.submit(
      acme.root,
      "ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V7",
      acme.organizationId,
      creation,
    )
    const { subOrganizationId } = valueOf(made, "createSubOrganizationResultV7")
    const body = asking(client, type, subOrganizationId, { deleteWithoutExport: true })
    return [await sent(client, body, key)]
  },
  APPROVE_ACTIVITY: (fixture) => voted(fixture, "APPROVE"),
  REJECT_ACTIVITY: (fixture) => voted(fixture, "REJECT"),
  SIGN_RAW_PAYLOAD: async (fixture, type) => {
    const { signWith: _, ...payload } = signParams(fixture.address)
    return asRoot(fixture, type, { ...payload, privateKeyId: await createKey(fixture) })
  },
  SIGN_RAW_PAYLOAD_V2: (fixture, type) => asRoot(fixture, type, signParams(fixture.address)),
  SIGN_RAW_PAYLOADS: (fixture, type) => {
    const { payload, ...common } = signParams(fixture.address)
    return asRoot(fixture, type, { ...common, payloads: [payload, "22".repeat(32)] })
  },
  RECOVER_USER: async (fixture, type) => {
    const { acme } = fixture
    const key = await (await mailedKeys(fixture, acme)).recoveryKey()
    return asRoot(fixture, type, { userId: acme.rootUserId, authenticator: new Passkey().create() }, key)
  },
  SIGN_TRANSACTION: async (fixture, type) => {
    const { signWith: _, ...transaction } = transactionParams(fixture.address)
    return asRoot(fixture, type, { ...transaction, privateKeyId: await createKey(fixture) })
  },
  SIGN_TRANSACTION_V2: (fixture, type) => asRoot(fixture, type, transactionParams(fixture.address)),
}

/** The short form verifies one of so many types. */
const STRIDE = isLong ? 1 : 5

for (const [index, type] of [...activities.keys()].entries()) {
  if (index % STRIDE !== 0) continue
  t.test(`P1: an honest ${type} verifies, and fails with its intent extended`, async (t) => {
    const fixture = await setup(t)
    const [submission, ...votes] = await runOf(type)(fixture, type)
    const activity = shownActivity(submission, ...votes)
    const evidence: Evidence = {
      proofs: activity["appProofs"] as Evidence["proofs"],
      bootProofs: [await bootProofOf(fixture.boundary.signer)],
      pins: pinsOf(fixture.boundary.signer),
      activity,
    }
    t.strictSame(faultsOf(evidence), [])
    const intent = { ...(activity["intent"] as Json), more: true }
    t.not(faultsOf(altered(evidence, { intent })).length, 0, "its intent extended")
  })
}

function runOf(type: string): Run {
  const name = type.replace("ACTIVITY_TYPE_", "")
  const other = OTHERS[name]
  if (other !== undefined) return other
  const make = replayCases[name]
  if (make === undefined) throw new Error(`${type} is served, and this test has no parameters for it`)
  return async (fixture) => {
    const alice = await fixture.client.user(fixture.acme, "alice")
    const { first } = await make({ fixture, acme: fixture.acme, alice })
    return asRoot(fixture, type, first)
  }
}

async function createKey({ client, acme }: Fixture): Promise<string> {
  const key = { privateKeyName: "k", curve: "CURVE_SECP256K1", privateKeyTags: [], addressFormats: [] }
  const create = "ACTIVITY_TYPE_CREATE_PRIVATE_KEYS"
  const made = await client.submit(acme.root, create, acme.organizationId, { privateKeys: [key] })
  return valueOf(made, "createPrivateKeysResult").privateKeyIds[0]!
}

async function asRoot({ client, acme }: Fixture, type: string, parameters: object, by: Stamper = acme.root) {
  return [await sent(client, asking(client, type, acme.organizationId, parameters), by)] as [Sent]
}

/** An activity that the vote ends. Votes have no proofs of their own; the activity voted on has. */
async function voted({ client, acme }: Fixture, kind: "APPROVE" | "REJECT"): Promise<[Sent, Sent]> {
  const { alice, vote } = await quorumOfTwo(client, acme)
  const wallet = { walletName: "Voted", accounts: [] }
  const body = asking(client, "ACTIVITY_TYPE_CREATE_WALLET", acme.organizationId, wallet)
  const submission = await sent(client, body, acme.root)
  outcomeOf(submission.answer)
  return [submission, await vote(kind, body, alice.key)]
}

verifiers.compare(t)
