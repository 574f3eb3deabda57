export interface BareActivities {
  empty(): Promise<void>
}

export const bareActivities: BareActivities = { empty: async () => undefined }
