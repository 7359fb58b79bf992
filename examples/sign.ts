// Signs with the published client, as it is, and checks the signature with another library. Needs nothing but
// the values that `countersign dev` wrote into .env.local.
import { existsSync, readFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { parseEnv } from "node:util"
import { fromJson } from "@bufbuild/protobuf"
import { verifyAppProofSignature } from "@turnkey/crypto"
import { Turnkey } from "@turnkey/sdk-server"
import { type Hex, hashMessage, recoverAddress, serializeSignature, verifyMessage } from "viem"
import { type Pins, PinsSchema } from "../proto/gen/countersign/state/v1/setup_pb.ts"
import { verifyProofs } from "../signer/proof/verify/index.ts"

type AppProof = Parameters<typeof verifyAppProofSignature>[0]
type ProvenActivity = { appProofs: AppProof[] }
type BootProof = { ephemeralPublicKeyHex: string }

const MESSAGE = "pay the supplier"

const values = readValues()
const began = performance.now()
let before = began

const client = new Turnkey({
  apiBaseUrl: need("BASE_URL"),
  apiPublicKey: need("API_PUBLIC_KEY"),
  apiPrivateKey: need("API_PRIVATE_KEY"),
  defaultOrganizationId: need("ORGANIZATION_ID"),
}).apiClient()

const { organizationName, username } = await client.getWhoami().catch(explain)
step("who am I", `${username} of ${organizationName}`)

const address = (values.SIGN_WITH ?? (await createWallet())) as Hex
step("wallet", address)

const digest = hashMessage(MESSAGE)
const { r, s, v } = await client.signRawPayload({
  signWith: address,
  payload: digest,
  encoding: "PAYLOAD_ENCODING_HEXADECIMAL",
  hashFunction: "HASH_FUNCTION_NO_OP",
})
const signature = serializeSignature({ r: `0x${r}`, s: `0x${s}`, yParity: Number.parseInt(v, 16) })
step("signature", signature)

expect("viem recovers the address from it", (await recoverAddress({ hash: digest, signature })) === address)
expect("viem verifies it", await verifyMessage({ address, message: MESSAGE, signature }))
const other = { address, message: `${MESSAGE} twice`, signature }
expect("viem refuses it for another message", !(await verifyMessage(other)))

const signed = await signProvably()
const [proof] = signed.appProofs
if (proof === undefined) fail("the signature came without a proof")
verifyAppProofSignature(proof)
step("proof that the signer decided it", `${proof.signature.slice(0, 32)}…`)
const { bootProof } = await ask<{ bootProof: BootProof }>("query/get_boot_proof", {
  ephemeralKey: proof.publicKey,
})
const report = verifyProofs({ proofs: [proof], bootProofs: [bootProof], pins: readPins(), activity: signed })
for (const { verdict, sentence } of report.proofs[0]?.findings ?? []) step(verdict, sentence)
expect("the proof holds", report.verified)
console.log(`done in ${(performance.now() - began).toFixed(0)} ms`)

/** The same signature once more, with a proof of how it was decided. */
async function signProvably(): Promise<ProvenActivity> {
  const { activity } = await ask<{ activity: ProvenActivity }>("submit/sign_raw_payload", {
    type: "ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2",
    timestampMs: String(Date.now()),
    generateAppProofs: true,
    parameters: {
      signWith: address,
      payload: digest,
      encoding: "PAYLOAD_ENCODING_HEXADECIMAL",
      hashFunction: "HASH_FUNCTION_NO_OP",
    },
  })
  return activity
}

/** Stamped by the client; this one has no methods of its own for proofs. */
async function ask<Reply>(path: string, members: object): Promise<Reply> {
  const body = { organizationId: need("ORGANIZATION_ID"), ...members }
  return (await client.request(`/public/v1/${path}`, body)) as Reply
}

/** The deployment's public identity, which `countersign dev` compared with the signer's when it kept it. */
function readPins(): Pins {
  const { COUNTERSIGN_DATA_DIR } = process.env
  const directory = resolve(COUNTERSIGN_DATA_DIR || join(import.meta.dirname, "..", ".countersign"))
  return fromJson(PinsSchema, JSON.parse(readFileSync(join(directory, "pins.json"), "utf8")) as never)
}

/** Only where nothing was seeded. */
async function createWallet(): Promise<string> {
  const { addresses } = await client.createWallet({
    walletName: `Example ${new Date().toISOString()}`,
    accounts: [
      {
        curve: "CURVE_SECP256K1",
        pathFormat: "PATH_FORMAT_BIP32",
        path: "m/44'/60'/0'/0/0",
        addressFormat: "ADDRESS_FORMAT_ETHEREUM",
      },
    ],
  })
  return addresses[0] ?? fail("create_wallet returned no address")
}

function readValues(): NodeJS.Dict<string> {
  const { COUNTERSIGN_DATA_DIR } = process.env
  const root = join(import.meta.dirname, "..")
  const file = join(resolve(COUNTERSIGN_DATA_DIR || root), ".env.local")
  if (!existsSync(file)) {
    const lock = join(resolve(COUNTERSIGN_DATA_DIR || join(root, ".countersign")), "dev.lock")
    if (existsSync(lock)) fail("the system runs without seed (--no-seed): there is nothing to sign with")
    fail(`${file} is not there. In another terminal: npm start`)
  }
  return parseEnv(readFileSync(file, "utf8"))
}

function explain(error: unknown): never {
  const { cause } = error as { cause?: { code?: string } }
  if (cause?.code !== "ECONNREFUSED") throw error
  fail(`nothing answers at ${need("BASE_URL")}. In another terminal: npm start`)
}

function need(name: string): string {
  return values[name] ?? fail(`.env.local does not say ${name}`)
}

function step(name: string, outcome: string): void {
  const now = performance.now()
  console.log(`${`${(now - before).toFixed(1)} ms`.padStart(10)}  ${name.padEnd(36)} ${outcome}`)
  before = now
}

function expect(what: string, holds: boolean): void {
  if (!holds) fail(`not so: ${what}`)
  step(what, "yes")
}

function fail(sentence: string): never {
  console.error(sentence)
  process.exit(1)
}
