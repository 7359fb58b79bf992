import {
  createHash,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
  sign,
} from "node:crypto"
import { type Cbor, CborPairs, writeCbor } from "./cbor-writer.ts"

export const USER_PRESENT = 0x01
const ATTESTED_CREDENTIAL = 0x40

/** Departures of a browser and its authenticator from the standard. */
export type Departure = {
  type?: string
  /** Text of the challenge in the client data. */
  challenge?: string
  origin?: string
  /** Members of the client data beside the three. */
  more?: object
  rpId?: string
  flags?: number
  /** Key that signs instead of the passkey's own. */
  signer?: KeyObject
}

export type CreationDeparture = Departure & {
  /** Bytes in place of the COSE key. */
  publicKey?: Uint8Array
  format?: string
  statement?: (signed: Buffer, passkey: Passkey) => Cbor
  /** Bytes behind the authenticator data. */
  extensions?: Uint8Array
}

/** Parameters of a registration, as clients send them. */
export type AuthenticatorParameters = {
  authenticatorName: string
  challenge: string
  attestation: {
    credentialId: string
    clientDataJson: string
    attestationObject: string
    transports: string[]
  }
}

/** Numbers of the algorithms that passkeys have (RFC 9053 §2, RFC 8812 §2). */
const ALGORITHMS = { ES256: -7, EdDSA: -8, RS256: -257 } as const
export type PasskeyAlgorithm = keyof typeof ALGORITHMS

export type PasskeyOptions = {
  algorithm?: PasskeyAlgorithm
  rpId?: string
  idBytes?: number
  idFrom?: Passkey
  keyFrom?: Passkey
}

/** A passkey in software, with its browser: follows the standard, or departs from it as the test asks. */
export class Passkey {
  readonly credentialId: Buffer
  readonly aaguid = Buffer.from("fbfc3007154e4ecc8c0b6e020557d7bd", "hex")
  readonly publicKey: Buffer
  readonly privateKey: KeyObject
  readonly rpId: string
  readonly origin: string
  readonly algorithm: PasskeyAlgorithm

  /** `idFrom`, `keyFrom`: another passkey whose credential id or key pair it takes. */
  constructor(options: PasskeyOptions = {}) {
    const { algorithm = "ES256", rpId = "example.org", idBytes = 20, idFrom, keyFrom } = options
    this.rpId = rpId
    this.origin = `https://${rpId}`
    this.credentialId = idFrom?.credentialId ?? randomBytes(idBytes)
    this.algorithm = keyFrom?.algorithm ?? algorithm
    this.privateKey = keyFrom?.privateKey ?? newPrivateKey(this.algorithm)
    this.publicKey = coseKey(createPublicKey(this.privateKey))
  }

  /** Number of its algorithm among those of COSE. */
  get coseAlgorithm(): number {
    return ALGORITHMS[this.algorithm]
  }

  get credentialIdText(): string {
    return this.credentialId.toString("base64url")
  }

  /** navigator.credentials.create(), in the form in which clients hand it on. */
  create(authenticatorName = "passkey", departure: CreationDeparture = {}): AuthenticatorParameters {
    const challenge = randomBytes(32).toString("base64url")
    const clientData = this.#clientData("webauthn.create", challenge, departure)
    const idLength = Buffer.alloc(2)
    idLength.writeUInt16BE(this.credentialId.length)
    const flags = departure.flags ?? USER_PRESENT | ATTESTED_CREDENTIAL
    const credential = [this.aaguid, idLength, this.credentialId, departure.publicKey ?? this.publicKey]
    const authData = Buffer.concat([
      this.#authenticatorHead(departure, flags),
      ...((flags & ATTESTED_CREDENTIAL) === 0 ? [] : credential),
      departure.extensions ?? Buffer.alloc(0),
    ])
    const signed = Buffer.concat([authData, sha256(clientData)])
    const attestationObject = writeCbor(
      new CborPairs(
        ["fmt", departure.format ?? "none"],
        ["attStmt", departure.statement?.(signed, this) ?? new CborPairs()],
        ["authData", authData],
      ),
    )
    return {
      authenticatorName,
      challenge,
      attestation: {
        credentialId: this.credentialIdText,
        clientDataJson: clientData.toString("base64url"),
        attestationObject: attestationObject.toString("base64url"),
        transports: ["AUTHENTICATOR_TRANSPORT_INTERNAL"],
      },
    }
  }

  /** navigator.credentials.get(): the members of a stamp over a challenge, given as the browser writes it. */
  get(challenge: string, departure: Departure = {}) {
    const clientDataJson = this.#clientData("webauthn.get", challenge, departure)
    const authenticatorData = this.#authenticatorHead(departure, departure.flags ?? USER_PRESENT)
    const signed = Buffer.concat([authenticatorData, sha256(clientDataJson)])
    const signature = signedBy(departure.signer ?? this.privateKey, signed)
    return { authenticatorData, clientDataJson, signature }
  }

  /** Value of the X-Stamp-WebAuthn header for a body, as published clients write it. */
  stamp(body: Uint8Array | string, departure: Departure = {}): string {
    const { authenticatorData, clientDataJson, signature } = this.get(challengeOf(body), departure)
    return JSON.stringify({
      authenticatorData: authenticatorData.toString("base64url"),
      clientDataJson: clientDataJson.toString("base64url"),
      credentialId: this.credentialIdText,
      signature: signature.toString("base64url"),
    })
  }

  sign(bytes: Uint8Array): Buffer {
    return signedBy(this.privateKey, bytes)
  }

  #clientData(type: string, challenge: string, departure: Departure): Buffer {
    const { origin = this.origin, more = { crossOrigin: false } } = departure
    const members = {
      type: departure.type ?? type,
      challenge: departure.challenge ?? challenge,
      origin,
      ...more,
    }
    return Buffer.from(JSON.stringify(members))
  }

  /** rpIdHash || flags || counter; the counter stays zero, as that of passkeys on several devices does. */
  #authenticatorHead({ rpId = this.rpId }: Departure, flags: number): Buffer {
    return Buffer.concat([sha256(Buffer.from(rpId)), Buffer.of(flags), Buffer.alloc(4)])
  }
}

function newPrivateKey(algorithm: PasskeyAlgorithm): KeyObject {
  if (algorithm === "RS256") return generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey
  if (algorithm === "EdDSA") return generateKeyPairSync("ed25519").privateKey
  return generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey
}

/** Ed25519 hashes the message itself. */
function signedBy(key: KeyObject, bytes: Uint8Array): Buffer {
  return sign(key.asymmetricKeyType === "ed25519" ? null : "sha256", bytes, key)
}

/** The challenge that a stamp over a body answers, as browsers write it. */
export function challengeOf(body: Uint8Array | string): string {
  return Buffer.from(createHash("sha256").update(body).digest("hex")).toString("base64url")
}

/** Name of a passkey among the credentials that stamp. */
export function nameOf(passkey: Passkey): string {
  return `webauthn:${passkey.credentialIdText}`
}

/** A public key as COSE_Key, in the order of the standard's examples. */
export function coseKey(key: KeyObject): Buffer {
  const jwk = key.export({ format: "jwk" })
  const member = (text: string | undefined) => Buffer.from(text ?? "", "base64url")
  if (jwk.kty === "RSA")
    return writeCbor(new CborPairs([1, 3], [3, ALGORITHMS.RS256], [-1, member(jwk.n)], [-2, member(jwk.e)]))
  if (jwk.kty === "OKP")
    return writeCbor(new CborPairs([1, 1], [3, ALGORITHMS.EdDSA], [-1, 6], [-2, member(jwk.x)]))
  const point = [[-2, member(jwk.x)] as const, [-3, member(jwk.y)] as const]
  return writeCbor(new CborPairs([1, 2], [3, ALGORITHMS.ES256], [-1, 1], ...point))
}

function sha256(bytes: Uint8Array): Buffer {
  return createHash("sha256").update(bytes).digest()
}
