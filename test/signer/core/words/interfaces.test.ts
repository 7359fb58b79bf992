import { createHash } from "node:crypto"
import t from "tap"
import { encodeFunctionData, parseAbi } from "viem"
import { SmartContractInterfaceType } from "../../../../proto/gen/countersign/api/v1/enums_pb.ts"
import { interfacesForWords } from "../../../../signer/core/words/interfaces.ts"
import { factsOf, wordsOf } from "./reading.ts"

const VAULT = "0x5fbdb2315678afecb367f032d93f642f64180aa3"
const abi = parseAbi(["function pay(address payee, uint256 amount)"])
const text = JSON.stringify(abi)
const type = SmartContractInterfaceType.ETHEREUM
const digest = createHash("sha256").update(text).digest("hex")
const data = encodeFunctionData({ abi, functionName: "pay", args: [VAULT, 3n] })

const told = (context: ReturnType<typeof interfacesForWords>) =>
  wordsOf("ETH_SEND_TRANSACTION", { from: VAULT, to: VAULT, caip2: "eip155:1", data }, context)

t.test("W30: with a signed document, only the interfaces that it names read a call", async (t) => {
  const stated = [{ type, address: VAULT, text }]
  const signed = told(interfacesForWords(stated, [{ type, address: VAULT, digest }]))
  t.match(factsOf(signed), {
    Function: "pay(address,uint256), by the organization's interface of the contract",
    "Argument amount": "3",
  })
  const lies = [
    interfacesForWords(stated, []),
    interfacesForWords(stated, [{ type, address: VAULT, digest: "00".repeat(32) }]),
    interfacesForWords(stated, [{ type, address: VAULT.replace("5f", "6f"), digest }]),
    interfacesForWords(
      [{ type, address: VAULT, text: text.replace("payee", "friend") }],
      [{ type, address: VAULT, digest }],
    ),
  ]
  for (const lie of lies) {
    t.notMatch(JSON.stringify(told(lie)), /pay\(address/)
    t.match(told(lie).contents[0]?.warnings, [/Nobody can see what this call does/])
  }
})

t.test("W30: without a signed document the words say that the API states the interface", async (t) => {
  const stated = told(
    interfacesForWords([{ type, address: VAULT.toUpperCase().replace("0X", "0x"), text }], undefined),
  )
  t.match(factsOf(stated), {
    Function: "pay(address,uint256), by an interface that the API states for the contract",
  })
  const broken = told(interfacesForWords([{ type, address: VAULT, text: "{" }], undefined))
  t.match(broken.contents[0]?.warnings, [/Nobody can see what this call does/])
})
