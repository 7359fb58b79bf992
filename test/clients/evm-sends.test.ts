// The published signers for viem, ethers and EIP-1193 pay, call contracts and delegate on a real chain (anvil).
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { createEIP1193Provider } from "@turnkey/eip-1193-provider"
import { TurnkeyActivityError as EthersActivityError, TurnkeySigner } from "@turnkey/ethers"
import { TurnkeyRequestError } from "@turnkey/http"
import { createAccount, TurnkeyActivityError } from "@turnkey/viem"
import { Contract, ContractFactory, JsonRpcProvider, type Signer, verifyTypedData } from "ethers"
import t from "tap"
import {
  type Abi,
  createPublicClient,
  createWalletClient,
  getAddress,
  http,
  numberToHex,
  parseEther,
  verifyTypedData as verifiesTypedData,
} from "viem"
import { foundry } from "viem/chains"
import { wallet } from "../e2e/wallets.ts"
import { startAnvil } from "../harness/anvil.ts"
import { userParams } from "../harness/api-client.ts"
import { sharedSystem } from "../harness/shared-system.ts"
import { newKey, type TestKey } from "../harness/stamper.ts"
import { httpOf, sdkOf } from "./published.ts"

const { abi, bytecode } = JSON.parse(
  readFileSync(join(import.meta.dirname, "..", "vectors", "contracts", "Reverts.json"), "utf8"),
) as { abi: Abi; bytecode: `0x${string}` }

const TO = getAddress("0x00000000000000000000000000000000000000aa")
const BANNED = getAddress("0x00000000000000000000000000000000000000bb")
const DELEGATE = getAddress("0x00000000000000000000000000000000000000cc")
const DOMAIN = { name: "Market", version: "1", chainId: foundry.id, verifyingContract: TO }
const TYPES = { Pay: [{ name: "amount", type: "uint256" }] }
const IMPLICIT = "Turnkey error 7: policy engine denied request implicitly"
const EXPLICIT = "Turnkey error 7: policy engine denied request explicitly"

type EthersClient = ConstructorParameters<typeof TurnkeySigner>[0]["client"]

t.test("on a real chain, published signers:", async (t) => {
  const anvil = await startAnvil(t)
  const system = await sharedSystem()
  const acme = await system.createOrganization()
  const { organizationId, root } = acme
  const address = getAddress(await wallet(system, acme, "Paying"))
  await anvil.call("anvil_setBalance", address, numberToHex(parseEther("100")))
  const sdk = sdkOf(system, organizationId, root)
  const chain = createPublicClient({ chain: foundry, transport: http(anvil.url), pollingInterval: 50 })
  const succeeded = async (hash: string) => {
    const { status, from } = await chain.waitForTransactionReceipt({ hash: hash as `0x${string}` })
    return { status, from: getAddress(from) }
  }
  const SUCCESS = { status: "success", from: address }

  const alice = newKey()
  await sdk.createUsers({ users: [userParams("alice", alice) as never] })
  const viemAccount = (key: TestKey) =>
    createAccount({
      client: sdkOf(system, organizationId, key),
      organizationId,
      signWith: address,
    })
  // The signer was built beside another release of the client, whose class is another to TypeScript.
  const ethersSigner = (key: TestKey) =>
    new TurnkeySigner({
      client: sdkOf(system, organizationId, key) as unknown as EthersClient,
      organizationId,
      signWith: address,
    })

  t.test("viem sends legacy and fee-market transactions, deploys and calls a contract", async (t) => {
    const account = await viemAccount(root)
    const client = createWalletClient({ account, chain: foundry, transport: http(anvil.url) })
    for (const type of ["legacy", "eip1559"] as const)
      t.same(await succeeded(await client.sendTransaction({ type, to: TO, value: 5n })), SUCCESS, type)
    t.equal(await chain.getBalance({ address: TO }), 10n)
    const deployment = await chain.waitForTransactionReceipt({
      hash: await client.deployContract({ abi, bytecode }),
    })
    const contract = deployment.contractAddress as `0x${string}`
    const call = { address: contract, abi, functionName: "set", args: [41n], value: 3n } as const
    t.same(await succeeded(await client.writeContract(call)), SUCCESS)
    t.equal(await chain.readContract({ address: contract, abi, functionName: "number" }), 41n)
    t.equal(await chain.getBalance({ address: contract }), 3n)
  })

  t.test("viem signs an authorization of EIP-7702, and sends the transaction that carries it", async (t) => {
    const account = await viemAccount(root)
    const client = createWalletClient({ account, chain: foundry, transport: http(anvil.url) })
    const authorization = await client.signAuthorization({ contractAddress: DELEGATE, executor: "self" })
    const hash = await client.sendTransaction({ authorizationList: [authorization], to: TO, value: 1n })
    t.same(await succeeded(hash), SUCCESS)
    t.equal(await chain.getCode({ address }), `0xef0100${DELEGATE.slice(2).toLowerCase()}`)
  })

  t.test("ethers sends, deploys, calls a contract and signs typed data", async (t) => {
    const provider = new JsonRpcProvider(anvil.url, foundry.id, {
      staticNetwork: true,
      cacheTimeout: -1,
      polling: true,
      pollingInterval: 50,
    })
    t.teardown(() => provider.destroy())
    const signer = ethersSigner(root).connect(provider as never) as unknown as Signer
    const sent = await signer.sendTransaction({ to: TO, value: 7n })
    t.match(await sent.wait(), { status: 1, from: address })
    const deployed = await new ContractFactory(abi as never, bytecode, signer).deploy()
    await deployed.waitForDeployment()
    const contract = new Contract(await deployed.getAddress(), abi as never, signer)
    const called = (await contract.getFunction("set")(42n)) as { wait(): Promise<unknown> }
    t.match(await called.wait(), { status: 1 })
    t.equal(await contract.getFunction("number")(), 42n)
    const signature = await signer.signTypedData(DOMAIN, TYPES, { amount: 2n ** 255n })
    t.equal(verifyTypedData(DOMAIN, TYPES, { amount: 2n ** 255n }, signature), address)
  })

  t.test("the EIP-1193 provider lists accounts, sends, and signs typed data", async (t) => {
    const provider = await providerOf(root)
    t.same(await provider.request({ method: "eth_requestAccounts" }), [address])
    const fields = { to: TO, value: "0x9", gas: "0x5208", maxFeePerGas: "0x77359400", type: "0x2" } as const
    const chainId = numberToHex(foundry.id)
    const nonce = await provider.request({ method: "eth_getTransactionCount", params: [address, "latest"] })
    const transaction = { ...fields, from: address, nonce, chainId, maxPriorityFeePerGas: "0x1" }
    const hash = await provider.request({ method: "eth_sendTransaction", params: [transaction as never] })
    t.same(await succeeded(hash), SUCCESS)
    const typed = { domain: DOMAIN, types: TYPES, primaryType: "Pay", message: { amount: 6n } } as const
    const signature = await provider.request({
      method: "eth_signTypedData_v4",
      params: [address, typed as never],
    })
    t.ok(await verifiesTypedData({ ...typed, address, signature }))
  })

  t.test("a denial reaches each signer's own error class, with the text that they match", async (t) => {
    const account = await viemAccount(alice)
    const signer = ethersSigner(alice)
    const provider = await providerOf(alice)
    const attempts = (to: `0x${string}`) => {
      const fields = { chainId: foundry.id, nonce: 99, to, value: 1n }
      const hex = { from: address, to, nonce: "0x63", chainId: numberToHex(foundry.id), type: "0x2" }
      return [
        thrownBy(account.signTransaction({ ...fields, gas: 21_000n, maxFeePerGas: 9n, type: "eip1559" })),
        thrownBy(signer.signTransaction({ ...fields, gasLimit: 21_000n, maxFeePerGas: 9n, type: 2 })),
        thrownBy(provider.request({ method: "eth_signTransaction", params: [hex as never] })),
      ] as const
    }
    const shows = async (to: `0x${string}`, text: string, details: string) => {
      const [ofViem, ofEthers, ofProvider] = await Promise.all(attempts(to))
      t.ok(ofViem instanceof TurnkeyActivityError, "viem")
      t.match(ofViem, { message: `Failed to sign: ${text} (Details: ${details}` })
      t.ok(ofEthers instanceof EthersActivityError, "ethers")
      t.match(ofEthers, { message: `Failed to sign: ${text} (Details: ${details}` })
      t.ok(ofProvider instanceof TurnkeyRequestError, "EIP-1193")
      t.match(ofProvider, { code: 7, message: `${text} (Details: ${details}` })
    }
    await sdk.createPolicy({
      policyName: "banned",
      effect: "EFFECT_DENY",
      condition: `eth.tx.to == '${BANNED}'`,
      notes: "",
    })
    await shows(TO, IMPLICIT, '[{"@type":"type.googleapis.com/errors.v1.PolicyEnginePermissionError"')
    await shows(BANNED, EXPLICIT, "[])")
  })

  async function providerOf(key: TestKey) {
    // The provider takes addresses of http only in a test.
    const { NODE_ENV } = process.env
    process.env["NODE_ENV"] = "test"
    t.teardown(() => {
      delete process.env["NODE_ENV"]
      if (NODE_ENV !== undefined) process.env["NODE_ENV"] = NODE_ENV
    })
    const { wallets } = await sdk.getWallets()
    return createEIP1193Provider({
      turnkeyClient: httpOf(system, key),
      organizationId: organizationId as never,
      walletId: wallets[0]!.walletId as never,
      chains: [{ chainId: numberToHex(foundry.id), chainName: "anvil", rpcUrls: [anvil.url] }],
    })
  }
})

async function thrownBy(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => new Error("nothing was thrown"),
    (error: unknown) => error,
  )
}
