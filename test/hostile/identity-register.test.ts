// A8: the identity register agrees with the documents after any sequence of changes.
import t from "tap"
import { fromBinary } from "@bufbuild/protobuf"
import {
  NotarizedDocumentSchema,
  OrganizationDocumentSchema,
} from "../../proto/gen/countersign/state/v1/document_pb.ts"
import { type ApiClient, apiKey, outcomeOf, type Tenant, valueOf } from "../harness/api-client.ts"
import { newKey, type Stamper, type TestKey } from "../harness/stamper.ts"
import { child } from "../harness/sub-organization.ts"
import { Passkey } from "../harness/authenticator.ts"
import {
  firstCreated,
  type IdentityTally,
  isEmpty,
  onlyProven,
} from "../../signer/enclave/execution/state/identity-tally.ts"
import { refused, type Fixture, setup } from "./setup.ts"

const LOGIN = "ACTIVITY_TYPE_STAMP_LOGIN"
const EXPIRING_KEYS = 10

function rootUser(lasting: TestKey, ...expiring: readonly TestKey[]) {
  const apiKeys = [apiKey(lasting), ...expiring.map((key) => apiKey(key, "expiring", "3600"))]
  return { rootUsers: [{ userName: "root", apiKeys, authenticators: [], oauthProviders: [] }] }
}

/** A login that names this organization, for a session with a key of its own. */
function login(client: ApiClient, organizationId: string, by: Stamper) {
  const body = client.body(LOGIN, organizationId, { publicKey: newKey().publicKeyHex })
  return client.send(body, by)
}

t.test("A8: a login that evicts the key that stamped it leaves that key without owner", async (t) => {
  const fixture = await setup(t)
  const { client, acme, boundary } = fixture
  const [oldest, ...others] = Array.from({ length: EXPIRING_KEYS }, newKey)
  const customer = await child(client, acme, rootUser(newKey(), oldest!, ...others))
  outcomeOf(await login(client, customer.organizationId, oldest!))
  const { register } = boundary.signer.state()
  const identity = { kind: "public-key", publicKeyHex: oldest!.publicKeyHex } as const
  t.ok(isEmpty(register.tally(acme.organizationId, identity)))
  for (const { organizationId } of [acme, customer]) {
    await refused(t, fixture, "CREDENTIAL_UNKNOWN", () => login(client, organizationId, oldest!))
  }
  t.match(
    await login(client, acme.organizationId, others[0]!),
    { is: "outcome" },
    "the others stay as they are",
  )
})

type Family = Fixture & {
  pool: readonly TestKey[]
  children: Map<string, Tenant>
  /** `<organization id> <public key>` of each key with which its sub-organization was created. */
  created: Set<string>
  /** The same of each key verified by a login that named its sub-organization. */
  proven: Set<string>
  /** By key: the sub-organization that was created with it when no other had been. */
  first: Map<string, string>
}

/** Keys of the living sub-organizations' documents, as the database has them. */
function held({ client, children }: Pick<Family, "client" | "children">): Map<string, Map<string, string>> {
  const ofChild = (organizationId: string) => {
    const { document } = fromBinary(NotarizedDocumentSchema, client.documents.get(organizationId)!)
    const keys = fromBinary(OrganizationDocumentSchema, document).users.flatMap(({ apiKeys }) => apiKeys)
    return new Map(keys.map(({ publicKey, apiKeyId }) => [publicKey, apiKeyId]))
  }
  return new Map([...children.keys()].map((id) => [id, ofChild(id)]))
}

/** Expected tally of a key. */
function expected({ created, proven, first }: Family, keys: ReturnType<typeof held>, publicKey: string) {
  const holders = [...keys].filter(([, of]) => of.has(publicKey)).map(([id]) => id)
  const within = (set: ReadonlySet<string>) => holders.filter((id) => set.has(`${id} ${publicKey}`))
  const provers = within(proven)
  return {
    first: first.get(publicKey),
    created: within(created).length,
    added: holders.length - within(created).length,
    proven: provers.length === 1 ? provers[0] : provers.length,
  }
}

function shown(tally: IdentityTally) {
  return {
    first: firstCreated(tally, 0),
    created: Number(tally.created),
    added: Number(tally.added),
    proven: onlyProven(tally) ?? Number(tally.proven),
  }
}

/** Forgets what is said of keys that their sub-organization no longer has. */
function forgetGone({ created, proven, first }: Family, keys: ReturnType<typeof held>): void {
  for (const said of [created, proven]) {
    for (const pair of said) {
      const [organizationId = "", publicKey = ""] = pair.split(" ")
      if (!keys.get(organizationId)?.has(publicKey)) said.delete(pair)
    }
  }
  for (const [publicKey, organizationId] of first)
    if (!created.has(`${organizationId} ${publicKey}`)) first.delete(publicKey)
}

/** Deterministic random numbers. */
function dice(seed: number) {
  let state = seed
  return (below: number) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
    return (state >>> 16) % below
  }
}

type Deed = (family: Family, tenant: Tenant, key: TestKey) => Promise<unknown>

/** A refused operation changes nothing; the sequence continues. */
const operations: readonly Deed[] = [
  ({ client }, { organizationId, root, rootUserId: userId }, key) =>
    attempt(client, root, "CREATE_API_KEYS_V2", organizationId, { userId, apiKeys: [apiKey(key)] }),
  ({ client }, { organizationId, root, rootUserId: userId }, key) => {
    const apiKeys = [apiKey(key, "expiring", "3600")]
    return attempt(client, root, "CREATE_API_KEYS_V2", organizationId, { userId, apiKeys })
  },
  (family, { organizationId, root, rootUserId: userId }, key) => {
    const apiKeyId = held(family).get(organizationId)?.get(key.publicKeyHex) ?? userId
    const apiKeyIds = [apiKeyId]
    return attempt(family.client, root, "DELETE_API_KEYS", organizationId, { userId, apiKeyIds })
  },
  async (family, { organizationId }, key) => {
    const answer = await login(family.client, organizationId, key)
    if (answer.is === "outcome") family.proven.add(`${organizationId} ${key.publicKeyHex}`)
  },
  async ({ client, children }, { organizationId, root }) => {
    if (children.size < 3) return
    const request = { deleteWithoutExport: true }
    await attempt(client, root, "DELETE_SUB_ORGANIZATION", organizationId, request)
    children.delete(organizationId)
  },
  async ({ client, acme, children, created, first }, _tenant, { publicKeyHex, ...key }) => {
    const root = newKey()
    const parameters = { wallet: undefined, ...rootUser(root, { publicKeyHex, ...key }) }
    const made = await child(client, acme, parameters)
    children.set(made.organizationId, { ...made, root })
    if (![...created].some((pair) => pair.endsWith(publicKeyHex)))
      first.set(publicKeyHex, made.organizationId)
    created.add(`${made.organizationId} ${publicKeyHex}`)
  },
  async ({ client, acme }, _tenant, key) => {
    await login(client, acme.organizationId, key)
  },
]

function attempt(client: ApiClient, by: TestKey, type: string, organizationId: string, parameters: object) {
  return client.send(client.body(`ACTIVITY_TYPE_${type}`, organizationId, parameters), by)
}

t.test(
  "A8: after any sequence of credential changes the identity register agrees with the documents",
  async (t) => {
    const fixture = await setup(t)
    const pool = Array.from({ length: 4 }, newKey)
    const says = { created: new Set<string>(), proven: new Set<string>(), first: new Map<string, string>() }
    const family: Family = { ...fixture, pool, children: new Map(), ...says }
    const { register } = fixture.boundary.signer.state()
    const roll = dice(20_240_229)
    for (const key of pool) await operations[5]!(family, fixture.acme, key)
    const wrong: string[] = []
    for (let move = 0; move < 250; move++) {
      const [, tenant] = [...family.children][roll(family.children.size)]!
      const operation = roll(operations.length)
      await operations[operation]!(family, tenant, pool[roll(pool.length)]!)
      const keys = held(family)
      forgetGone(family, keys)
      for (const { publicKeyHex } of pool) {
        const identity = { kind: "public-key", publicKeyHex } as const
        const found = shown(register.tally(fixture.acme.organizationId, identity))
        const wanted = expected(family, keys, publicKeyHex)
        if (JSON.stringify(found) !== JSON.stringify(wanted)) wrong.push(`${move}: deed ${operation}`)
      }
    }
    t.same(wrong, [])
  },
)

t.test(
  "A8: a passkey registered with another user's credential id gains no access and displaces nobody",
  async (t) => {
    const fixture = await setup(t)
    const { client, acme } = fixture
    const mine = new Passkey()
    const planted = new Passkey({ idFrom: mine })
    const give = async (passkey: Passkey) => {
      const tenant = await child(client, acme)
      const { organizationId, root, rootUserId: userId } = tenant
      const parameters = { userId, authenticators: [passkey.create()] }
      const made = await client.submit(
        root,
        "ACTIVITY_TYPE_CREATE_AUTHENTICATORS_V2",
        organizationId,
        parameters,
      )
      t.equal(valueOf(made, "createAuthenticatorsResult").authenticatorIds.length, 1)
      return tenant
    }
    const victim = await give(mine)
    const attacker = await give(planted)
    outcomeOf(await login(client, attacker.organizationId, planted))
    const before = () => login(client, acme.organizationId, mine)
    await refused(t, fixture, "LOGIN_UNPROVEN", before, "before a login that names its sub-organization")
    await refused(t, fixture, "STAMP_INVALID", () => login(client, victim.organizationId, planted))
    const own = outcomeOf(await login(client, victim.organizationId, mine))
    t.equal(own.organizationId, victim.organizationId, "who names the sub-organization is not hindered")
    for (const [passkey, { organizationId }] of [
      [mine, victim],
      [planted, attacker],
    ] as const)
      t.equal(outcomeOf(await login(client, acme.organizationId, passkey)).organizationId, organizationId)
  },
)
