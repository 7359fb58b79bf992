// B7: passkeys in families of organizations, through the boundary.
import { fromBinary } from "@bufbuild/protobuf"
import t from "tap"
import {
  NotarizedDocumentSchema,
  OrganizationDocumentSchema,
} from "../../proto/gen/countersign/state/v1/document_pb.ts"
import { valueOf } from "../harness/api-client.ts"
import { type Departure, Passkey } from "../harness/authenticator.ts"
import { newKey } from "../harness/stamper.ts"
import { refused, type Fixture, setup } from "./setup.ts"

const CREATE = "ACTIVITY_TYPE_CREATE_AUTHENTICATORS_V2"
const WALLET = "ACTIVITY_TYPE_CREATE_WALLET"
const SUB_ORGANIZATION = "ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V7"

t.test("B7: a sub-organization's passkeys are checked against its parent's current origins", async (t) => {
  const fixture = await setup(t)
  const { boundary, client, acme } = fixture
  const { organizationId, root } = acme
  const passkey = new Passkey()
  const rootUser = { userName: "alice", apiKeys: [], authenticators: [passkey.create()], oauthProviders: [] }
  const parameters = { subOrganizationName: "Child", rootUsers: [rootUser], rootQuorumThreshold: 1 }
  const made = await client.submit(root, SUB_ORGANIZATION, organizationId, parameters)
  const { subOrganizationId } = valueOf(made, "createSubOrganizationResultV7")
  const { userId } = usersOf(client.documents.get(subOrganizationId)!)[0]!

  const attempt = (departure: Departure = {}) => {
    const name = `Wallet ${boundary.nowMs()}`
    const body = client.body(WALLET, subOrganizationId, { walletName: name, accounts: [] })
    return client.send(body, stampedBy(passkey, departure))
  }
  const register = (origin: string) => {
    const authenticators = [new Passkey().create("another", { origin })]
    return client.send(client.body(CREATE, subOrganizationId, { userId, authenticators }), passkey)
  }
  const elsewhere = { origin: "https://elsewhere.example" }
  t.match(await attempt(elsewhere), { is: "outcome" }, "any page while nothing is set")
  const set = { name: "FEATURE_NAME_WEBAUTHN_ORIGINS", value: "https://example.org" }
  await client.submit(root, "ACTIVITY_TYPE_SET_ORGANIZATION_FEATURE", organizationId, set)
  for (const when of ["at once", "after a restart"]) {
    await refused(t, fixture, "STAMP_ORIGIN_WRONG", () => attempt(elsewhere), `${when}: a stamp`)
    await refused(t, fixture, "ATTESTATION_ORIGIN_WRONG", () => register("https://elsewhere.example"), when)
    t.match(await attempt(), { is: "outcome" }, `${when}: on the allowed page`)
    t.match(await register("https://example.org"), { is: "outcome" }, `${when}: a registration there`)
    await boundary.restart()
  }
  const own = { ...set, value: "https://elsewhere.example" }
  await client.submit(passkey, "ACTIVITY_TYPE_SET_ORGANIZATION_FEATURE", subOrganizationId, own)
  await refused(t, fixture, "STAMP_ORIGIN_WRONG", () => attempt(elsewhere), "its own setting does not count")
  const old = parentBefore(fixture)
  await client.submit(root, "ACTIVITY_TYPE_SET_ORGANIZATION_FEATURE", organizationId, own)
  await boundary.restart()
  const body = client.body(WALLET, subOrganizationId, { walletName: "By the old setting", accounts: [] })
  const documents = [client.documents.get(subOrganizationId)!, old]
  const stamp = { xStampWebauthn: passkey.stamp(body) }
  await refused(
    t,
    fixture,
    "DOCUMENT_ROLLED_BACK",
    () => client.order(body, stamp, { documents }),
    "an older parent",
  )
})

t.test(
  "a login by passkey that names the parent opens its session in the one child that has it",
  async (t) => {
    const { client, acme } = await setup(t)
    const { organizationId, root } = acme
    const passkey = new Passkey()
    const rootUser = {
      userName: "alice",
      apiKeys: [],
      authenticators: [passkey.create()],
      oauthProviders: [],
    }
    const parameters = { subOrganizationName: "Child", rootUsers: [rootUser], rootQuorumThreshold: 1 }
    const made = await client.submit(root, SUB_ORGANIZATION, organizationId, parameters)
    const { subOrganizationId } = valueOf(made, "createSubOrganizationResultV7")
    const session = newKey()
    const login = { publicKey: session.publicKeyHex }
    const opened = await client.submit(passkey, "ACTIVITY_TYPE_STAMP_LOGIN", organizationId, login)
    t.equal(opened.organizationId, subOrganizationId)
    const wallet = { walletName: "By the session", accounts: [] }
    t.ok(
      valueOf(await client.submit(session, WALLET, subOrganizationId, wallet), "createWalletResult").walletId,
    )
  },
)

function usersOf(notarized: Uint8Array) {
  const { document } = fromBinary(NotarizedDocumentSchema, notarized)
  return fromBinary(OrganizationDocumentSchema, document).users
}

function parentBefore({ client, acme }: Pick<Fixture, "client" | "acme">): Uint8Array {
  return Uint8Array.from(client.documents.get(acme.organizationId)!)
}

/** The passkey with a browser that departs from the standard. */
function stampedBy(passkey: Passkey, departure: Departure): Passkey {
  return Object.assign(Object.create(passkey) as Passkey, {
    stamp: (body: string) => passkey.stamp(body, departure),
  })
}
