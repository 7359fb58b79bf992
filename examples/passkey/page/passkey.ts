import { getWebAuthnAttestation, TurnkeyClient } from "@turnkey/http"
import { WebauthnStamper } from "@turnkey/webauthn-stamper"
import { type Hex, hashMessage, recoverAddress, serializeSignature } from "viem"

/** A new passkey, as `create_sub_organization` takes it. */
export type Passkey = {
  challenge: string
  attestation: Awaited<ReturnType<typeof getWebAuthnAttestation>>
}

const ES256 = -7
const RS256 = -257

/** The site's name; a passkey belongs to it. An IP address cannot have passkeys, therefore localhost. */
const RP_ID = location.hostname

/** Creates a passkey on this device. */
export async function createPasskey(): Promise<Passkey> {
  const challenge = crypto.getRandomValues(new Uint8Array(32))
  const name = `Countersign ${new Date().toISOString().slice(0, 19)}`
  const attestation = await getWebAuthnAttestation({
    publicKey: {
      rp: { id: RP_ID, name: "Countersign example" },
      user: { id: crypto.getRandomValues(new Uint8Array(16)), name, displayName: name },
      challenge,
      pubKeyCredParams: [ES256, RS256].map((alg) => ({ type: "public-key" as const, alg })),
      authenticatorSelection: { residentKey: "required", userVerification: "preferred" },
    },
  })
  return { challenge: toBase64Url(challenge), attestation }
}

/** A client whose requests the user stamps, each with one touch of the passkey. */
export class PasskeyWallet {
  readonly #stamper = new WebauthnStamper({ rpId: RP_ID })
  readonly #client: TurnkeyClient
  readonly #parentId: string

  constructor(baseUrl: string, parentId: string) {
    this.#client = new TurnkeyClient({ baseUrl }, { stamp: (body) => this.#stamp(body) })
    this.#parentId = parentId
  }

  /** Organization of the passkey that the user chooses. */
  async findOrganization(): Promise<string> {
    this.#stamper.allowCredentials = []
    return (await this.#client.getWhoami({ organizationId: this.#parentId })).organizationId
  }

  /** The passkey that later requests are stamped with. */
  use(credentialId: string): void {
    this.#stamper.allowCredentials = [{ type: "public-key", id: fromBase64Url(credentialId) }]
  }

  async address(organizationId: string): Promise<Hex> {
    const { accounts } = await this.#client.getWalletAccounts({ organizationId })
    const [account] = accounts
    if (account === undefined) throw new Error("This user has no wallet. Create one with create_wallet.")
    return account.address as Hex
  }

  /** A signature of the message, and the address that viem recovers from it. */
  async sign(
    organizationId: string,
    signWith: Hex,
    message: string,
  ): Promise<{ signature: Hex; signer: Hex }> {
    const hash = hashMessage(message)
    const { activity } = await this.#client.signRawPayload({
      type: "ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2",
      timestampMs: String(Date.now()),
      organizationId,
      parameters: {
        signWith,
        payload: hash,
        encoding: "PAYLOAD_ENCODING_HEXADECIMAL",
        hashFunction: "HASH_FUNCTION_NO_OP",
      },
    })
    const signed = activity.result.signRawPayloadResult
    if (signed === undefined) throw new Error(`There is no signature: ${activity.status}`)
    const { r, s, v } = signed
    const signature = serializeSignature({ r: `0x${r}`, s: `0x${s}`, yParity: Number.parseInt(v, 16) })
    return { signature, signer: await recoverAddress({ hash, signature }) }
  }

  /** Stamps, and keeps to the passkey that the user chose for the first request. */
  async #stamp(body: string) {
    const stamp = await this.#stamper.stamp(body)
    this.use((JSON.parse(stamp.stampHeaderValue) as { credentialId: string }).credentialId)
    return stamp
  }
}

function toBase64Url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "")
}

function fromBase64Url(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (letter) =>
    letter.charCodeAt(0),
  )
}
