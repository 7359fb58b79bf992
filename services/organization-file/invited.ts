import type { OrganizationFile } from "./file.ts"
import type { LiveOrganization } from "./live.ts"

/**
 * Sentences about open invitations. An invitation is an act, not a state that a file describes: it ends when the person
 * becomes a user, whom the file may then lack.
 */
export function invitationNotes({ users }: OrganizationFile, { invitations }: LiveOrganization): string[] {
  if (users === undefined) return []
  return invitations
    .filter(({ status, receiverUserName }) => {
      const isOpen = status === "INVITATION_STATUS_CREATED"
      return isOpen && !users.some(({ userName }) => userName === receiverUserName)
    })
    .map(
      ({ receiverUserName, receiverEmail }) =>
        `${receiverUserName} (${receiverEmail}) is invited: once they have logged in, they are a user whom the file lacks, and --prune deletes them`,
    )
}
