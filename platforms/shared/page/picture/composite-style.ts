/** The look of the composite on every surface. */
export const LOOK = {
  ground: '#15171c',
  text: '#e8eaee',
  picture: '#23262e',
  screen: '#0c0d10',
  name: '#c9ced8',
  nameOfSpeaker: '#fff',
  speaking: '#7cb0ff',
  fonts: "'Liberation Sans', 'Noto Sans', 'DejaVu Sans', 'Noto Color Emoji', sans-serif",
  /** Pixels. */
  radius: 10,
  screenRadius: 6,
  speakingBorder: 3,
  emptySize: 26,
  /** Size of the initials' disc as a share of the picture's shorter side, and of the letters as a share of the disc. */
  initials: 0.42,
  initialsSize: 0.4,
  /** Share of the height of the place. */
  restSize: 0.26,
} as const

/** For elements. There are no animations: each would cost a painting of the whole picture. */
export const COMPOSITE_STYLE = `
:host { background: ${LOOK.ground} !important }
.composite {
  position: absolute; background: ${LOOK.ground}; color: ${LOOK.text}; overflow: hidden;
  font-family: ${LOOK.fonts};
  font-weight: 400; line-height: 1.25; text-rendering: optimizeLegibility;
}
.tile { position: absolute; inset: 0; z-index: 1; visibility: hidden; contain: layout style }
.tile.in-view { visibility: inherit }
.picture, .caption, .rest { position: absolute; box-sizing: border-box; overflow: hidden }
.picture { background: ${LOOK.picture}; border-radius: ${LOOK.radius}px; contain: strict }
.tile.is-screen .picture { background: ${LOOK.screen}; border-radius: ${LOOK.screenRadius}px }
.tile.is-speaking .picture::after {
  content: ''; position: absolute; inset: 0; border: ${LOOK.speakingBorder}px solid ${LOOK.speaking}; border-radius: inherit;
}
.initials {
  position: absolute; left: 50%; top: 50%; transform: translate(-50%, -50%);
  display: flex; align-items: center; justify-content: center; overflow: hidden;
  border-radius: 50%; color: #fff; font-weight: 700; line-height: 1; white-space: nowrap; direction: ltr;
}
.tile.is-screen .initials { display: none }
video {
  position: absolute; inset: 0; width: 100%; height: 100%; object-fit: cover; visibility: hidden;
}
.tile.is-screen video, .tile.is-portrait video { object-fit: contain }
.tile.in-view.has-picture video { visibility: inherit }
.tile.is-standby { z-index: 0 }
.tile.is-leaving { z-index: 2 }
.caption { background: ${LOOK.ground}; display: flex; align-items: center; gap: .4em; padding: 0 4px; color: ${LOOK.name} }
.tile.is-speaking .caption { color: ${LOOK.nameOfSpeaker} }
.caption::before { content: ''; flex: none; display: none; width: .5em; height: .5em; border-radius: 50%; background: ${LOOK.speaking} }
.tile.is-speaking .caption::before { display: block }
.name {
  flex: 0 1 auto; min-width: 0; overflow: hidden; white-space: nowrap; text-overflow: ellipsis; unicode-bidi: isolate;
  padding: 0 1px;
}
.rest { display: none; align-items: center; justify-content: center; background: ${LOOK.picture}; border-radius: ${LOOK.radius}px; color: ${LOOK.name} }
.rest.in-view { display: flex }
.empty { position: absolute; inset: 0; display: none; align-items: center; justify-content: center }
.empty.in-view { display: flex }
.empty span {
  max-width: 70%; padding: 22px 40px; border-radius: 14px; background: ${LOOK.picture}; font-size: ${LOOK.emptySize}px; text-align: center;
  unicode-bidi: isolate;
}
`

/** Calm background colors for initials, different enough to distinguish neighbors; white text reads on each. */
export const CALM_COLORS = [
  '#4c6fa5',
  '#8a5a83',
  '#4f7f6b',
  '#a0664b',
  '#5b5f9e',
  '#7a7440',
  '#3f7d8c',
  '#9a5567',
  '#5d7d45',
  '#74609f',
  '#8f6d3a',
  '#4a6a7c',
] as const
