import type { Organization } from "../api/directory.ts"
import { requireLogin } from "../api/login.ts"
import { Badge, Empty, Section } from "../ui/basics.tsx"
import { openChange } from "../ui/change.tsx"
import { manyOf, textOf } from "../ui/fields.tsx"
import { Table } from "../ui/table.tsx"

type Invitation = Organization["invitations"][number]

const STATES: { readonly [status: string]: readonly [tone: "good" | "warn" | "", word: string] } = {
  INVITATION_STATUS_CREATED: ["warn", "Sent"],
  INVITATION_STATUS_ACCEPTED: ["good", "Accepted"],
  INVITATION_STATUS_REVOKED: ["", "Withdrawn"],
}

/** People who were asked by mail to become users. */
export function Invitations({
  organization,
  state,
}: {
  organization: Organization | undefined
  state: { error: Error | undefined; reload: () => void }
}) {
  return (
    <Section
      title="Invitations"
      aside={
        <button type="button" class="button tight" onClick={() => invite(organization)}>
          Invite by e-mail
        </button>
      }
    >
      <Table<Invitation>
        label="Invitations"
        columns={[
          { title: "Name", cell: ({ receiverUserName }) => <b>{receiverUserName}</b> },
          { title: "Address", cell: ({ receiverEmail }) => <span class="wrap">{receiverEmail}</span> },
          {
            title: "State",
            cell: ({ status }) => {
              const [tone, word] = STATES[status] ?? ["" as const, status]
              return <Badge tone={tone}>{word}</Badge>
            },
          },
          {
            title: "Withdraw",
            cell: (invitation) =>
              invitation.status === "INVITATION_STATUS_CREATED" && (
                <button type="button" class="button plain tight" onClick={() => withdraw(invitation)}>
                  Withdraw <span class="hidden-visually">{invitation.receiverUserName}</span>
                </button>
              ),
          },
        ]}
        rows={organization?.invitations}
        state={state}
        keyOf={({ invitationId }) => invitationId}
        empty={<Empty sentence="Nobody is invited. An invited person adds their own credential." />}
      />
    </Section>
  )
}

function invite(organization: Organization | undefined): void {
  openChange({
    title: "Invite by e-mail",
    verb: "Invite",
    type: "ACTIVITY_TYPE_CREATE_INVITATIONS",
    fields: [
      { name: "receiverUserName", label: "Name", path: "invitations[0].receiverUserName" },
      { name: "receiverUserEmail", label: "E-mail address", path: "invitations[0].receiverUserEmail" },
      {
        name: "accessType",
        label: "They work with",
        kind: "select",
        options: [
          { value: "ACCESS_TYPE_ALL", label: "A browser and API keys" },
          { value: "ACCESS_TYPE_WEB", label: "A browser alone" },
          { value: "ACCESS_TYPE_API", label: "API keys alone" },
        ],
      },
      {
        name: "receiverUserTags",
        label: "Tags",
        kind: "many",
        path: "invitations[0].receiverUserTags",
        options: (organization?.tags ?? [])
          .filter(({ tagType }) => tagType === "TAG_TYPE_USER")
          .map(({ tagId, tagName }) => ({ value: tagId, label: tagName })),
      },
    ],
    parameters: (values) => ({
      invitations: [
        {
          receiverUserName: textOf(values, "receiverUserName"),
          receiverUserEmail: textOf(values, "receiverUserEmail"),
          receiverUserTags: manyOf(values, "receiverUserTags"),
          accessType: textOf(values, "accessType"),
          senderUserId: requireLogin().userId,
        },
      ],
    }),
  })
}

function withdraw({ invitationId, receiverUserName }: Invitation): void {
  openChange({
    title: "Withdraw invitation",
    verb: "Withdraw",
    type: "ACTIVITY_TYPE_DELETE_INVITATION",
    sentence: `Withdraw the invitation of ${receiverUserName}: its link no longer works.`,
    parameters: () => ({ invitationId }),
  })
}
