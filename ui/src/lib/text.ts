// Every string of what all screens share.

export const TEXT = {
  shared: {
    menu: 'Actions here',
    copy: 'Copy',
    copyMessage: 'Copy message',
    copyPath: 'Copy path',
    link: 'From a link. Read it before you send.',
    ownHome: 'Enter the full path. Only folders in your own home can begin with ~/.',
    whole: (home: string) => `Enter the full path, such as ${home}/code/project or ~/code/project.`,
    unknown: 'Something failed without an error message. See the log under Settings → About.',
    hidden: (names: string) => `Hidden characters: ${names}`,
    file: 'plancard.yaml sets',
    settings: 'Settings use',
    noSandbox: 'No sandbox on this computer.',
    noShell: 'Shell commands can’t run here. File tools work.',
  },
}
