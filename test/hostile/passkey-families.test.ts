// B7: passkeys in families of organizations, through the boundary.
import { fromBinary } from "@bufbuild/protobuf"
import t from "tap"
import {
  NotarizedDocumentSchema,
  OrganizationDocumentSchema,
} from "../../proto/gen/countersign/state/v1/document_pb.ts"
import { valueOf } from "../harness/api-seat.ts"
import { type Departure, Passkey } from "../harness/authenticator.ts"
import { newKey } from "../harness/stamper.ts"
import { refused, type Stage, stage } from "./stage.ts"

const CREATE = "ACTIVITY_TYPE_CREATE_AUTHENTICATORS_V2"
const WALLET = "ACTIVITY_TYPE_CREATE_WALLET"
const SUB_ORGANIZATION = "ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V7"

t.test("B7: a sub-organization's passkeys are checked against its parent's current origins", async (t) => {
  const scene = await stage(t)
  const { boundary, seat, acme } = scene
  const { organizationId, root } = acme
  const passkey = new Passkey()
  const rootUser = { userName: "alice", apiKeys: [], authenticators: [passkey.create()], oauthProviders: [] }
  const parameters = { subOrganizationName: "Child", rootUsers: [rootUser], rootQuorumThreshold: 1 }
  const made = await seat.submit(root, SUB_ORGANIZATION, organizationId, parameters)
  const { subOrganizationId } = valueOf(made, "createSubOrganizationResultV7")
  const { userId } = usersOf(seat.documents.get(subOrganizationId)!)[0]!

  const attempt = (departure: Departure = {}) => {
    const name = `Wallet ${boundary.nowMs()}`
    const body = seat.body(WALLET, subOrganizationId, { walletName: name, accounts: [] })
    return seat.send(body, stampedBy(passkey, departure))
  }
  const register = (origin: string) => {
    const authenticators = [new Passkey().create("another", { origin })]
    return seat.send(seat.body(CREATE, subOrganizationId, { userId, authenticators }), passkey)
  }
  const elsewhere = { origin: "https://elsewhere.example" }
  t.match(await attempt(elsewhere), { is: "outcome" }, "any page while nothing is set")
  const set = { name: "FEATURE_NAME_WEBAUTHN_ORIGINS", value: "https://example.org" }
  await seat.submit(root, "ACTIVITY_TYPE_SET_ORGANIZATION_FEATURE", organizationId, set)
  for (const when of ["at once", "after a restart"]) {
    await refused(t, scene, "STAMP_ORIGIN_WRONG", () => attempt(elsewhere), `${when}: a stamp`)
    await refused(t, scene, "ATTESTATION_ORIGIN_WRONG", () => register("https://elsewhere.example"), when)
    t.match(await attempt(), { is: "outcome" }, `${when}: on the allowed page`)
    t.match(await register("https://example.org"), { is: "outcome" }, `${when}: a registration there`)
    await boundary.restart()
  }
  const own = { ...set, value: "https://elsewhere.example" }
  await seat.submit(passkey, "ACTIVITY_TYPE_SET_ORGANIZATION_FEATURE", subOrganizationId, own)
  await refused(t, scene, "STAMP_ORIGIN_WRONG", () => attempt(elsewhere), "its own setting does not count")
  const old = parentBefore(scene)
  await seat.submit(root, "ACTIVITY_TYPE_SET_ORGANIZATION_FEATURE", organizationId, own)
  await boundary.restart()
  const body = seat.body(WALLET, subOrganizationId, { walletName: "By the old setting", accounts: [] })
  const documents = [seat.documents.get(subOrganizationId)!, old]
  const stamp = { xStampWebauthn: passkey.stamp(body) }
  await refused(
    t,
    scene,
    "DOCUMENT_ROLLED_BACK",
    () => seat.order(body, stamp, { documents }),
    "an older parent",
  )
})

t.test(
  "a login by passkey that names the parent opens its session in the one child that has it",
  async (t) => {
    const { seat, acme } = await stage(t)
    const { organizationId, root } = acme
    const passkey = new Passkey()
    const rootUser = {
      userName: "alice",
      apiKeys: [],
      authenticators: [passkey.create()],
      oauthProviders: [],
    }
    const parameters = { subOrganizationName: "Child", rootUsers: [rootUser], rootQuorumThreshold: 1 }
    const made = await seat.submit(root, SUB_ORGANIZATION, organizationId, parameters)
    const { subOrganizationId } = valueOf(made, "createSubOrganizationResultV7")
    const session = newKey()
    const login = { publicKey: session.publicKeyHex }
    const opened = await seat.submit(passkey, "ACTIVITY_TYPE_STAMP_LOGIN", organizationId, login)
    t.equal(opened.organizationId, subOrganizationId)
    const wallet = { walletName: "By the session", accounts: [] }
    t.ok(
      valueOf(await seat.submit(session, WALLET, subOrganizationId, wallet), "createWalletResult").walletId,
    )
  },
)

function usersOf(notarized: Uint8Array) {
  const { document } = fromBinary(NotarizedDocumentSchema, notarized)
  return fromBinary(OrganizationDocumentSchema, document).users
}

function parentBefore({ seat, acme }: Pick<Stage, "seat" | "acme">): Uint8Array {
  return Uint8Array.from(seat.documents.get(acme.organizationId)!)
}

/** The passkey, whose browser departs from what it should do. */
function stampedBy(passkey: Passkey, departure: Departure): Passkey {
  return Object.assign(Object.create(passkey) as Passkey, {
    stamp: (body: string) => passkey.stamp(body, departure),
  })
}
