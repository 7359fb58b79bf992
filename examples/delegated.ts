// Delegated access with the published client. A customer is the only root user of their organization, and lets a service pay
// their subscription with a key of its own. A policy limits that key to one function of one contract and to an amount, a
// velocity control to an amount a day. At the end the customer withdraws it.
import { generateP256KeyPair } from "@turnkey/crypto"
import { formatEther, type Hex, parseEther, parseGwei, serializeTransaction, toFunctionSelector } from "viem"
import { failingClauses } from "./delegated/failing-clauses.ts"
import { explain } from "./development-values.ts"
import { done, expect, step } from "./steps.ts"
import { print } from "./terminal.ts"
import { clientIn, clientOf, ETHEREUM, readPayment, refusal } from "./users.ts"

const SUBSCRIPTION = "0x00000000000000000000000000000000000000aa"
const ANOTHER = "0x00000000000000000000000000000000000000bb"
const PAY = toFunctionSelector("pay()")
const ONCE = parseEther("0.1")
const CONTROL = "ether_of_a_day"

// The customer's device and the service create their keys themselves, and show only the public halves.
const [device, service] = [generateP256KeyPair(), generateP256KeyPair()]
const { subOrganizationId, wallet } = await clientOf("root")
  .createSubOrganization({
    subOrganizationName: `Subscriber ${new Date().toISOString()}`,
    rootQuorumThreshold: 1,
    rootUsers: [
      { userName: "customer", ...apiKey("device", device), authenticators: [], oauthProviders: [] },
    ],
    wallet: {
      walletName: "Main",
      accounts: [ETHEREUM],
    },
  })
  .catch(explain)
const address = wallet?.addresses[0] as Hex
const customer = clientIn(subOrganizationId, keys(device))
const delegated = clientIn(subOrganizationId, keys(service))
step("customer's organization", `${subOrganizationId}, the customer is its only root user`)

const { userIds } = await customer.createUsers({
  users: [
    {
      userName: "service",
      ...apiKey("service", service),
      authenticators: [],
      oauthProviders: [],
      userTags: [],
    },
  ],
})
const [serviceId = ""] = userIds
step("the service without a policy", await refusal(pay(SUBSCRIPTION, ONCE)))

// The client has no method for velocity controls.
await customer.request("/public/v1/submit/create_velocity_control", {
  type: "ACTIVITY_TYPE_CREATE_VELOCITY_CONTROL",
  timestampMs: String(Date.now()),
  organizationId: subOrganizationId,
  parameters: {
    name: "Ether of a day",
    identifier: CONTROL,
    dataSource: { chainAssetTransfer: { definition: [{ caip19: "eip155:1/slip44:60", decimals: "18" }] } },
    aggregation: {
      method: "VELOCITY_CONTROL_AGGREGATION_METHOD_SUM",
      operator: "VELOCITY_CONTROL_AGGREGATION_OPERATOR_LESS_THAN_OR_EQUAL",
      threshold: "0.2",
      window: { rolling: { duration: "86400" } },
      groupBy: { organization: {} },
    },
  },
})
const { policyId } = await customer.createPolicy({
  policyName: "The service pays the subscription",
  effect: "EFFECT_ALLOW",
  condition: [
    `activity.kind == 'SIGN_TRANSACTION' && wallet.id == '${wallet?.walletId}' && eth.tx.chain_id == 1`,
    `eth.tx.to == '${SUBSCRIPTION}' && eth.tx.data == '${PAY}'`,
    `eth.tx.value <= ${ONCE} && controls.${CONTROL}`,
  ].join(" && "),
  consensus: `approvers.any(u, u.id == '${serviceId}')`,
  notes: "pay() of one contract, at most 0.1 ETH at a time and 0.2 ETH a day.",
})
step("the customer allows", "pay() of one contract, 0.1 ETH at a time, 0.2 ETH a day")

print("")
await refused("0.15 ETH at once", SUBSCRIPTION, parseEther("0.15"))
await refused("another contract", ANOTHER, ONCE)
await refused("another function", SUBSCRIPTION, ONCE, toFunctionSelector("drain()"))
step("the policy itself", await refusal(delegated.deletePolicy({ policyId })))
for (const name of ["the first payment", "the second payment"])
  step(name, await paid(pay(SUBSCRIPTION, ONCE)))
step("a third one on that day", await refusal(pay(SUBSCRIPTION, ONCE)))
step("the customer, without limit", await paid(pay(ANOTHER, parseEther("3"), "0x", customer)))

print("")
await customer.deletePolicy({ policyId })
await customer.deleteUsers({ userIds: [serviceId] })
step("the customer withdraws", "policy and user are deleted")
step("the service afterwards", await refusal(pay(SUBSCRIPTION, 1n)))
const { users } = await customer.getUsers()
expect("the customer alone is left", users.length === 1 && users[0]?.userName === "customer")

print("")
print(
  "Shown: the service pays with a key of its own within limits that the signer enforces and counts. It cannot widen",
)
print(
  "them, and it signs nothing else. The customer keeps root, is bound by no limit, and ended the delegation alone.",
)
done()

/** Asks for the signature of a payment: as the service, unless another client is named. */
function pay(to: Hex, value: bigint, data: Hex = PAY, client = delegated) {
  return client.signTransaction(payment(to, value, data))
}

function payment(to: Hex, value: bigint, data: Hex) {
  const fees = { gas: 60_000n, maxFeePerGas: parseGwei("20"), maxPriorityFeePerGas: parseGwei("1") }
  const transaction = { chainId: 1, type: "eip1559", to, value, data, ...fees } as const
  const unsignedTransaction = serializeTransaction(transaction).slice(2)
  return { signWith: address, type: "TRANSACTION_TYPE_ETHEREUM", unsignedTransaction } as const
}

/** The service tries a payment that must be refused; then the customer asks which clause of the policy it fails. */
async function refused(name: string, to: Hex, value: bigint, data: Hex = PAY): Promise<void> {
  step(name, await refusal(pay(to, value, data)))
  const clauses = await failingClauses(customer, { userId: serviceId }, payment(to, value, data))
  step("", `because ${clauses}`)
}

/** Says what was signed, read from the signed transaction. */
async function paid(signing: ReturnType<typeof pay>): Promise<string> {
  const { value, to } = await readPayment(address, (await signing).signedTransaction)
  return `signed: ${formatEther(value)} ETH to ${to}`
}

function keys({ publicKey, privateKey }: { publicKey: string; privateKey: string }) {
  return { apiPublicKey: publicKey, apiPrivateKey: privateKey }
}

function apiKey(apiKeyName: string, { publicKey }: { publicKey: string }) {
  return { apiKeys: [{ apiKeyName, publicKey, curveType: "API_KEY_CURVE_P256" as const }] }
}
