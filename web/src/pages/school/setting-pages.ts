// The pages of the settings, in the line above each.
export const settingPages = [
  { to: '/settings', title: 'Settings' },
  { to: '/settings/notices', title: 'Notification rules' },
]
