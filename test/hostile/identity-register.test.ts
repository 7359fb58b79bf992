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

t.test("A6: a login that evicts the key that stamped it leaves that key without owner", async (t) => {
  const fixture = await setup(t)
  const { client, acme, boundary } = fixture
  const [oldest, ...others] = Array.from({ length: EXPIRING_KEYS }, newKey)
  const customer = await child(client, acme, rootUser(newKey(), oldest!, ...others))
  outcomeOf(await login(client, customer.organizationId, oldest!))
  const { register } = boundary.signer.state()
  const identity = { kind: "public-key", publicKeyHex: oldest!.publicKeyHex } as const
  t.equal(register.find(acme.organizationId, identity), "none")
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
  /** `<organization id> <public key>` of each key verified by a login. */
  proven: Set<string>
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

/** Expected owner of a key: the one organization with a verified stamp, else its only holder. */
function expected({ proven }: Family, keys: ReturnType<typeof held>, publicKey: string) {
  const holders = [...keys].filter(([, of]) => of.has(publicKey)).map(([id]) => id)
  const provers = holders.filter((id) => proven.has(`${id} ${publicKey}`))
  if (provers.length === 1) return { organizationId: provers[0], proofState: "proven" }
  if (provers.length > 1 || holders.length > 1) return "several"
  return holders.length === 0 ? "none" : { organizationId: holders[0], proofState: "unproven" }
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
  async ({ client, acme, children }, _tenant, key) => {
    const root = newKey()
    const born = await child(client, acme, { wallet: undefined, ...rootUser(root, key) })
    children.set(born.organizationId, { ...born, root })
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
    const family: Family = { ...fixture, pool, children: new Map(), proven: new Set() }
    const { register } = fixture.boundary.signer.state()
    const roll = dice(20_240_229)
    for (const key of pool) await operations[5]!(family, fixture.acme, key)
    const wrong: string[] = []
    for (let move = 0; move < 250; move++) {
      const [, tenant] = [...family.children][roll(family.children.size)]!
      const operation = roll(operations.length)
      await operations[operation]!(family, tenant, pool[roll(pool.length)]!)
      const keys = held(family)
      for (const pair of family.proven) {
        const [organizationId = "", publicKey = ""] = pair.split(" ")
        if (!keys.get(organizationId)?.has(publicKey)) family.proven.delete(pair)
      }
      for (const { publicKeyHex } of pool) {
        const found = register.find(fixture.acme.organizationId, { kind: "public-key", publicKeyHex })
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
    await refused(
      t,
      fixture,
      "STAMP_INVALID",
      () => login(client, acme.organizationId, mine),
      "before its holder was there",
    )
    await refused(t, fixture, "STAMP_INVALID", () => login(client, victim.organizationId, planted))
    const own = outcomeOf(await login(client, victim.organizationId, mine))
    t.equal(own.organizationId, victim.organizationId, "who names the sub-organization is not hindered")
    for (const passkey of [mine, planted]) {
      await refused(t, fixture, "CREDENTIAL_CONFLICT", () => login(client, acme.organizationId, passkey))
    }
  },
)
