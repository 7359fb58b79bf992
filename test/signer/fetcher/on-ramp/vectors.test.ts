import { createHmac } from "node:crypto"
import { create, type MessageInitShape } from "@bufbuild/protobuf"
import t from "tap"
import {
  FiatOnRampBlockchainNetwork,
  FiatOnRampCryptoCurrency,
  FiatOnRampCurrency,
  FiatOnRampPaymentMethod,
} from "../../../../proto/gen/countersign/api/v1/enums_pb.ts"
import {
  OnRampKeysSchema,
  type OnRampPurchaseTask,
  OnRampPurchaseTaskSchema,
} from "../../../../proto/gen/countersign/signer/v1/fetcher_pb.ts"
import { p256PrivateKey } from "../../../../signer/core/crypto/p256.ts"
import { Secret } from "../../../../signer/core/crypto/secret.ts"
import { openSealedKey } from "../../../../signer/core/fetch-orders/on-ramp-key.ts"
import { decodeSealedKey } from "../../../../signer/core/fetch-orders/sealed-key-text.ts"
import { moonPayQuery, moonPayUrl, widgetQuery } from "../../../../signer/core/on-ramp/moonpay.ts"
import { readCoinbaseKey } from "../../../../signer/fetcher/on-ramp/coinbase-key.ts"
import { coinbaseJwt } from "../../../../signer/fetcher/on-ramp/coinbase-jwt.ts"
import { ownVectors } from "../../../harness/vectors.ts"

type Vectors = {
  moonpay: { name: string; secretKey: string; unsignedUrl: string; signature: string; signedUrl: string }[]
  coinbase: {
    privateKey: string
    keyId: string
    nonce: string
    issuedAtSeconds: number
    resource: string
    jwt: string
  }
  sealedKey: { onRampPrivateKey: string; key: string; sealed: string }
}
const { moonpay, coinbase, sealedKey } = ownVectors<Vectors>("on-ramp")

function purchase(changes: MessageInitShape<typeof OnRampPurchaseTaskSchema>): OnRampPurchaseTask {
  return create(OnRampPurchaseTaskSchema, {
    keys: create(OnRampKeysSchema, { sandbox: true, publishableApiKey: "pk_test_NotARealKey" }),
    walletAddress: "0x9858EfFD232B4033E47d90003D41EC34EcaEda94",
    network: FiatOnRampBlockchainNetwork.ETHEREUM,
    cryptoCurrency: FiatOnRampCryptoCurrency.ETH,
    ...(changes as object),
  })
}

const PURCHASES: { readonly [name: string]: OnRampPurchaseTask } = {
  minimal: purchase({}),
  "all parameters the service sets": purchase({
    network: FiatOnRampBlockchainNetwork.BASE,
    cryptoCurrency: FiatOnRampCryptoCurrency.USDC,
    fiatCurrency: FiatOnRampCurrency.USD,
    fiatAmount: "100",
    paymentMethod: FiatOnRampPaymentMethod.CREDIT_DEBIT_CARD,
    transactionId: "3f0c7c1e-8f0a-4d57-9a5b-0c6d2b8f7a11",
  }),
}

t.test("MoonPay's addresses are built and signed as the vectors", async (t) => {
  t.equal(moonpay.length, 3)
  for (const { name, secretKey, unsignedUrl, signature, signedUrl } of moonpay) {
    const task = PURCHASES[name]
    const query = task ? moonPayQuery(task) : unsignedUrl.slice(unsignedUrl.indexOf("?"))
    t.equal(`https://buy-sandbox.moonpay.com/${query}`, unsignedUrl, name)
    const mac = createHmac("sha256", secretKey).update(query).digest()
    t.equal(mac.toString("base64"), signature)
    if (task) t.equal(moonPayUrl(task, mac), signedUrl)
  }
})

t.test("an address that a caller built is signed over the same text", async (t) => {
  for (const { name, unsignedUrl } of moonpay) {
    const task = PURCHASES[name]
    if (task) t.equal(widgetQuery(unsignedUrl, task), unsignedUrl.slice(unsignedUrl.indexOf("?")), name)
  }
})

t.test("Coinbase's token is the vector's", async (t) => {
  const { privateKey: text, keyId, nonce, issuedAtSeconds, resource, jwt } = coinbase
  const privateKey = readCoinbaseKey(Secret.copyOf(Buffer.from(text)))!
  const random = () => Buffer.from(nonce, "hex")
  t.equal(coinbaseJwt({ keyId, privateKey }, resource, { nowMs: issuedAtSeconds * 1000 + 999, random }), jwt)
})

t.test("a key that the published client sealed opens", async (t) => {
  const scalar = Secret.copyOf(Buffer.from(sealedKey.onRampPrivateKey, "hex"))
  const opened = openSealedKey(p256PrivateKey(scalar), decodeSealedKey(sealedKey.sealed)!)
  t.equal(
    opened?.use((bytes) => Buffer.from(bytes).toString()),
    sealedKey.key,
  )
  const altered = decodeSealedKey(sealedKey.sealed)!
  for (const position of altered.keys()) {
    const one = Uint8Array.from(altered)
    one[position]! ^= 1
    t.equal(openSealedKey(p256PrivateKey(scalar), one), undefined)
  }
  t.equal(openSealedKey(p256PrivateKey(scalar), altered.subarray(0, 40)), undefined, "cut off")
})
