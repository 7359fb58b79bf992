// A message signed with an account of a wallet.
import type { WholeActivityJson } from "../../../common/activity-json.ts"
import type { Account, Wallet } from "../../api/directory.ts"
import { Facts, Id } from "../../ui/basics.tsx"
import { openChange } from "../../ui/change.tsx"
import { textOf } from "../../ui/fields.tsx"
import { chainOfFormat } from "../../words/chains.ts"
import { messagePayload, type AccountSignature, signatureText } from "../../words/message-signature.ts"

export function signMessage({ walletName }: Wallet, accounts: readonly Account[]): void {
  const accountOf = (address: string) => accounts.find((account) => account.address === address)
  openChange({
    title: `Sign message with ${walletName}`,
    verb: "Sign message",
    type: "ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2",
    fields: [
      {
        name: "account",
        label: "Account",
        kind: "select",
        path: "signWith",
        options: accounts.map(({ address, name, addressFormat }) => ({
          value: address,
          label: `${name ?? chainOfFormat(addressFormat)}, ${address.slice(0, 8)}…${address.slice(-6)}`,
        })),
      },
      {
        name: "message",
        label: "Message",
        kind: "area",
        path: "payload",
        hint: "With an account of an EVM chain it is signed as wallets do it (EIP-191).",
      },
    ],
    parameters: (values) => {
      const signWith = textOf(values, "account")
      // Blanks at the ends of a message are part of it.
      return { signWith, ...messagePayload(String(values["message"] ?? ""), accountOf(signWith ?? "")) }
    },
    after: (activity) => <Signed activity={activity} accountOf={accountOf} />,
  })
}

type SignedProps = { activity: WholeActivityJson; accountOf: (address: string) => Account | undefined }

function Signed({ activity, accountOf }: SignedProps) {
  const signature = activity.result["signRawPayloadResult"] as AccountSignature | undefined
  const { signWith } = (Object.values(activity.intent)[0] ?? {}) as { signWith?: string }
  if (signature === undefined) return null
  return (
    <Facts facts={[["Signature", <Id id={signatureText(signature, accountOf(signWith ?? ""))} whole />]]} />
  )
}
