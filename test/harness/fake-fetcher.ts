import { create } from "@bufbuild/protobuf"
import {
  type FetchedStatement,
  FetchedStatementSchema,
  type SignedFetchOrder,
} from "../../proto/gen/countersign/signer/v1/fetcher_pb.ts"
import type { Fetcher } from "../../signer/fetcher/fetch.ts"
import type { InProcessBoundary } from "./boundary.ts"
import { CodeStore } from "../../signer/fetcher/codes/store.ts"
import { deliveryOf, type Message } from "../../signer/fetcher/delivery/delivery.ts"
import { newFetcher, newIdentity, newStoreFile, relay } from "./fetcher.ts"
import { claimsOf, idToken, type IssuerKeyPair, issuerKey, keySetOf } from "./id-token.ts"
import type { FakeOauth2Providers } from "./oauth2-providers.ts"
import type { FakeProviders } from "./on-ramp-providers.ts"
import { type WebServer, webServer } from "./web-server.ts"

/** The service's own issuer in tests; nothing answers there. */
export const OWN_ISSUER = "https://wallet.example"

type Teardown = { teardown(clean: () => Promise<void>): unknown }

/** A real fetcher in this process with its own key, and an issuer on the loopback that it may query. */
export class FakeFetcher {
  readonly identity = newIdentity()
  readonly keySet = this.identity.keySet
  /** Keys that the issuer publishes now; the first one signs. */
  issuerKeys: IssuerKeyPair[] = [issuerKey("p256", "first")]
  /** APIs of on-ramp providers; undefined: none can be reached. */
  providers: FakeProviders | undefined
  /** APIs of OAuth 2.0 providers, closed with this; undefined: none can be reached. */
  oauth2: FakeOauth2Providers | undefined
  /** Address of the end user, as the API tier states it. */
  clientAddress = "203.0.113.7"
  /** Status of the issuer's replies. */
  issuerStatus = 200
  /** Messages that the fetcher sent, the newest last. */
  readonly messages: Message[] = []
  /** Fault of every delivery; undefined: messages are taken. */
  deliveryFault: Error | undefined
  /** Runs while a message is on its way; undefined: nothing does. */
  duringDelivery: (() => Promise<void>) | undefined
  /** True if sandbox contacts have the published code; read when the fetcher starts. */
  sandboxContacts = false
  /** File of its one-time codes. */
  readonly storeFile = newStoreFile()
  readonly #server: WebServer
  #boundary: InProcessBoundary | undefined
  #fetcher: Fetcher | undefined

  private constructor(server: WebServer) {
    this.#server = server
  }

  static async open(t: Teardown): Promise<FakeFetcher> {
    const server: WebServer = await webServer((request, response) => {
      const { issuer, issuerKeys, issuerStatus } = fakeFetcher
      response.statusCode = issuerStatus
      const configuration = JSON.stringify({ issuer, jwks_uri: `${issuer}/keys` })
      response.end(request.url === "/keys" ? keySetOf(...issuerKeys) : configuration)
    })
    const fakeFetcher = new FakeFetcher(server)
    t.teardown(async () => {
      fakeFetcher.#fetcher?.codes.close()
      await fakeFetcher.oauth2?.close()
      await server.close()
    })
    return fakeFetcher
  }

  get issuer(): string {
    return `http://127.0.0.1:${this.#server.port}`
  }

  /** Number of requests for the issuer's keys. */
  get asked(): number {
    return this.#server.asked.filter((path) => path === "/keys").length
  }

  /** Settings of a signer that is paired with this fetcher. */
  get pairing(): { [name: string]: string } {
    return {
      COUNTERSIGN_SIGNER_FETCHER_PUBLIC_KEY: this.identity.publicHex,
      COUNTERSIGN_SIGNER_OIDC_ISSUER: OWN_ISSUER,
    }
  }

  /** Carries out the orders of this signer from now on. */
  obey(boundary: InProcessBoundary): void {
    this.#boundary = boundary
    const { notarizerPublicKey } = boundary.signer.state().keyring.pins
    const nowMs = () => boundary.clock.wallMs()
    const { issuer, identity, providers, oauth2 } = this
    if (providers) providers.nowMs = nowMs
    const onRampProviders = providers && { onRampProviders: providers.origins }
    this.#fetcher?.codes.close()
    const codes = CodeStore.open(this.storeFile, identity.codeKeys.store)
    const channel = {
      send: async (message: Message) => {
        await this.duringDelivery?.()
        if (this.deliveryFault) throw this.deliveryFault
        this.messages.push(message)
      },
    }
    const { sandboxContacts } = this
    const own = {
      identity,
      codes,
      delivery: deliveryOf(channel, channel),
      sandboxContacts,
      ...onRampProviders,
      ...(oauth2 && { oauth2Origins: oauth2.origins }),
    }
    this.#fetcher = newFetcher(notarizerPublicKey, nowMs, { issuers: [issuer], ...own })
  }

  /** The process ends and another one begins, on the same store. `change`: what happens to its files meanwhile. */
  restart(change: () => void = () => {}): void {
    this.#fetcher?.codes.close()
    this.#fetcher = undefined
    change()
    this.obey(this.#boundary!)
  }

  /** The store of one-time codes. */
  get codes(): CodeStore {
    return this.#fetcher!.codes
  }

  /** The code of the newest message. */
  get newestCode(): string {
    const { text } = this.messages.at(-1)!
    return /\b[0-9A-Z]{6,9}\b/.exec(text)![0]
  }

  /** @throws Refusal of the fetcher */
  async fetch(order: SignedFetchOrder): Promise<FetchedStatement> {
    if (this.#fetcher === undefined) throw new Error("the fetcher obeys nobody yet")
    const { statement } = await relay(order, this.#fetcher, this.clientAddress)
    return create(FetchedStatementSchema, { order, statement })
  }

  /** A valid token of the issuer, with these changes. */
  token(changes: object = {}, key: IssuerKeyPair = this.issuerKeys[0]!): string {
    return idToken(claimsOf(this.issuer, this.#boundary!.clock.wallMs(), changes), key)
  }

  /** Seals a client secret as published clients do. */
  async sealClientSecret(secret: string): Promise<string> {
    // Loaded when it is used: most tests with a fetcher seal nothing, and the package costs each file 0.15 s.
    const { encryptOauth2ClientSecret } = await import("@turnkey/crypto")
    return encryptOauth2ClientSecret(secret, this.keySet.publicHex.slice(0, 130))
  }

  /** Seals a key of an on-ramp provider as published clients do. */
  async sealOnRampKey(key: string): Promise<string> {
    const { encryptOnRampSecret } = await import("@turnkey/crypto")
    return encryptOnRampSecret(key, this.identity.publicHex.slice(260))
  }
}
