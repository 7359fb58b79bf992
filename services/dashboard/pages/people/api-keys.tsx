import type { UserApiKey, User } from "../../api/people.ts"
import { Ago, Empty, Id } from "../../ui/basics.tsx"
import { openChange } from "../../ui/change.tsx"
import { textOf } from "../../ui/fields.tsx"
import { ListSection } from "../../ui/list-section.tsx"
import { duration } from "../../words/time.ts"
import { KeyAddresses, KeyMenu } from "./key-addresses.tsx"

/** API keys and live sessions of a user, each with the addresses that its requests may come from. */
export function ApiKeys({
  user,
  state,
}: {
  user: User
  state: { error: Error | undefined; reload: () => void }
}) {
  return (
    <ListSection<UserApiKey>
      title="API keys and sessions"
      stacks
      verb="Add an API key"
      onAdd={() => addKey(user)}
      columns={[
        { title: "Name", cell: ({ apiKeyName }) => <b>{apiKeyName}</b> },
        { title: "Public key", wide: true, cell: ({ credential }) => <Id id={credential.publicKey} /> },
        {
          title: "Valid for",
          cell: ({ expirationSeconds }) =>
            expirationSeconds === undefined ? "until removed" : duration(Number(expirationSeconds)),
        },
        { title: "Addresses", cell: (one) => <KeyAddresses apiKey={one} /> },
        { title: "Added", wide: true, cell: ({ createdAt }) => <Ago time={createdAt} /> },
        { title: "Actions", isMenu: true, cell: (one) => <KeyMenu user={user} apiKey={one} /> },
      ]}
      rows={user.apiKeys}
      state={state}
      keyOf={({ apiKeyId }) => apiKeyId}
      empty={<Empty sentence="This user has no API key." />}
    />
  )
}

function addKey({ userId }: User): void {
  openChange({
    title: "Add an API key",
    verb: "Add the key",
    type: "ACTIVITY_TYPE_CREATE_API_KEYS_V2",
    intro: (
      <p>
        Make the key where it will be used: <code>countersign key generate NAME</code>. Only its public half
        comes here.
      </p>
    ),
    fields: [
      { name: "apiKeyName", label: "Name", path: "apiKeys[0].apiKeyName" },
      {
        name: "publicKey",
        label: "Public key",
        code: true,
        path: "apiKeys[0].publicKey",
        hint: "66 hexadecimal digits",
      },
      {
        name: "expirationSeconds",
        label: "Validity in seconds (optional)",
        kind: "number",
        path: "apiKeys[0].expirationSeconds",
      },
    ],
    parameters: (values) => {
      const expirationSeconds = textOf(values, "expirationSeconds")
      return {
        userId,
        apiKeys: [
          {
            apiKeyName: textOf(values, "apiKeyName"),
            publicKey: textOf(values, "publicKey"),
            curveType: "API_KEY_CURVE_P256",
            ...(expirationSeconds !== "" && { expirationSeconds }),
          },
        ],
      }
    },
  })
}
