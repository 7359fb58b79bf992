// An API that lists an interface of its own making, so that an approver reads another call.
import { createHash, generateKeyPairSync, sign } from "node:crypto"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { create, toBinary } from "@bufbuild/protobuf"
import t, { type Test } from "tap"
import { encodeFunctionData, parseAbi } from "viem"
import { SmartContractInterfaceType } from "../../../proto/gen/countersign/api/v1/enums_pb.ts"
import {
  NotarizedDocumentSchema,
  OrganizationDocumentSchema,
} from "../../../proto/gen/countersign/state/v1/document_pb.ts"
import { generateApiKey, stamp } from "../../../services/terminal-client/api-key.ts"
import { bindKey, writeKey } from "../../../services/terminal-client/key-folder.ts"
import { p256Point } from "../../../signer/core/crypto/p256.ts"
import { commandLine } from "./command-line.ts"
import { type Answer, fakeApi } from "./fake-api.ts"

const id = (digit: number) => `0198c0de-0000-7000-8000-00000000000${digit}`
const [ORGANIZATION, ALICE] = [id(1), id(2)]
const VAULT = "0x5fbdb2315678afecb367f032d93f642f64180aa3"
const abi = parseAbi(["function pay(address payee, uint256 amount)"])
const notarizer = generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey

/** The reply of get_organization_document, with an interface of this text. */
function documentWith(text: string): Answer {
  const digest = createHash("sha256").update(text).digest()
  const interfaces = [
    { interfaceId: id(8), type: SmartContractInterfaceType.ETHEREUM, address: VAULT, digest },
  ]
  const content = create(OrganizationDocumentSchema, {
    organizationId: ORGANIZATION,
    version: 3n,
    interfaces,
  })
  const document = toBinary(OrganizationDocumentSchema, content)
  const message = Buffer.concat([Buffer.from("countersign/v1/organization-document\0"), document])
  const signature = Uint8Array.from(sign("sha256", message, { key: notarizer, dsaEncoding: "ieee-p1363" }))
  const notarized = toBinary(
    NotarizedDocumentSchema,
    create(NotarizedDocumentSchema, { document, signature }),
  )
  return { reply: { version: "3", notarizedDocumentB64: Buffer.from(notarized).toString("base64") } }
}

/** A send that calls the vault and waits, as the API shows it. */
function waiting(): object & { fingerprint: string } {
  const key = generateApiKey()
  const data = encodeFunctionData({ abi, functionName: "pay", args: [VAULT, 3n] })
  const parameters = { from: VAULT, to: VAULT, caip2: "eip155:1", data }
  const type = "ACTIVITY_TYPE_ETH_SEND_TRANSACTION"
  const body = JSON.stringify({
    type,
    timestampMs: "1700000000000",
    organizationId: ORGANIZATION,
    parameters,
  })
  const stamped = JSON.parse(Buffer.from(stamp(key, body), "base64url").toString()) as object
  const user = { userId: ALICE, userName: "alice" }
  const vote = {
    userId: ALICE,
    user,
    activityId: id(9),
    message: body,
    createdAt: "2026-11-24T12:00:00Z",
    ...stamped,
  }
  return {
    id: id(9),
    organizationId: ORGANIZATION,
    type,
    status: "ACTIVITY_STATUS_CONSENSUS_NEEDED",
    fingerprint: `sha256:${createHash("sha256").update(body).digest("hex")}`,
    intent: { ethSendTransactionIntent: parameters },
    result: {},
    votes: [{ ...vote, selection: "VOTE_SELECTION_APPROVED" }],
  } as never
}

/** The output of `approve`, where the API lists one interface and the signed document another. */
async function approval(t: Test, listed: string, documented: string, hasPins: boolean): Promise<string> {
  const COUNTERSIGN_DATA_DIR = t.testdir()
  await writeKey(join(COUNTERSIGN_DATA_DIR, "keys"), "bob", generateApiKey())
  await bindKey(join(COUNTERSIGN_DATA_DIR, "keys"), "bob", ORGANIZATION)
  const point = Buffer.from(p256Point(notarizer)).toString("hex")
  const pins = { deploymentId: "d", signerPublicKey: "", notarizerPublicKey: point + point }
  if (hasPins) writeFileSync(join(COUNTERSIGN_DATA_DIR, "pins.json"), JSON.stringify(pins))
  const activity = waiting()
  const one = {
    smartContractInterfaceId: id(8),
    smartContractAddress: VAULT,
    smartContractInterface: listed,
    type: "SMART_CONTRACT_INTERFACE_TYPE_ETHEREUM",
    label: "Vault",
  }
  const api = await fakeApi(t, {
    "/public/v1/query/list_activities": { reply: { activities: [activity] } },
    "/public/v1/query/list_smart_contract_interfaces": { reply: { smartContractInterfaces: [one] } },
    "/public/v1/query/get_organization_document": documentWith(documented),
  })
  const words = ["approve", activity.fingerprint, "--dry-run", "--as", "bob", "--api", api.url]
  return (await commandLine({ COUNTERSIGN_DATA_DIR }, ...words)).log
}

const honest = JSON.stringify(abi)
const lie = honest.replace("payee", "refundTo")

t.test("W30: an interface that the API made up reads no call where pins are", async (t) => {
  const signed = await approval(t, honest, honest, true)
  t.match(signed, "pay(address,uint256), by the organization's interface of the contract")
  t.match(signed, /Argument payee +0x5F/)
  const lied = await approval(t, lie, honest, true)
  t.match(lied, "WARNING: Nobody can see what this call does")
  t.notMatch(lied, "refundTo")
  const unpinned = await approval(t, lie, honest, false)
  t.match(unpinned, "pay(address,uint256), by an interface that the API states for the contract")
})
