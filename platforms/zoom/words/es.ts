/** Spanish wording, for a page that ignores the requested language. Source: language file of the published SDK. */
import type { PartialWords } from '../../shared/words.ts'
import type { ENGLISH } from './en.ts'

export const SPANISH: PartialWords<typeof ENGLISH> = {
  states: {
    bot_wall: [/^los bots automatizados no pueden unirse/, /^error de verificación de recaptcha/],
    login_wall: [/^iniciar sesión para unirse a est[ea]/],
    invalid_link: [/^este enlace de reunión no es válido/],
    browser_off: [/^la política de su organización ha bloqueado/, /^no puede unirse desde el navegador/],
    removed_before: [/\bfue eliminado previamente por el anfitrión/],
    removed: [/^ha sido retirado/, /^el anfitrión lo ha retirado/],
    locked: [/\breunión ha sido bloqueada por el anfitrión/],
    full: [/\bha alcanzado la capacidad/],
    elsewhere: [/^ya se ha unido a esta reunión desde otro dispositivo/],
    ended: [/^(?:el anfitrión|su administrador) ha finalizado esta reunión/, /^la reunión ha finalizado/],
    free_limit: [/^su reunión gratuita ha terminado/],
    join_failed: [/^restricción del explorador o tiempo de espera/, /^terminó el tiempo para entrar/],
    waiting_for_host: [/^esperando a que el anfitrión inicie/],
    waiting_room: [
      /\bel anfitrión (?:pronto )?le permitirá (?:ingresar|entrar)/,
      /^el anfitrión salió de la reunión\. a la espera/,
    ],
    joining: [/^uniéndose a la reunión/, /^entrando al seminario web/],
    wrong_passcode: [
      /^el código de acceso de la reunión es incorrecto/,
      /^código de acceso incorrecto/,
      /^contraseña incorrecta/,
    ],
    reconnecting: [/^error de la red: /, /^intentando reconectar/],
  },
  dialogs: {
    recording: [/^la reunión se está grabando/],
    join_audio: [/^para escuchar a otras personas, conecte el audio/],
  },
  labels: {
    me: [/^yo$/],
    host: [/^anfitrión$/],
    leave: [/^salir$/],
    end: [/^(?:fin|finalizar)$/],
    agree: [/^de acuerdo$/],
    later: [/^más (?:tarde|adelante)$/],
    stayMuted: [/^permanecer silenciado$/],
    microphoneOn: [/^silenciar$/],
    microphoneOff: [/^(?:reactivar audio|cancelar silenciar)$/],
    cameraOn: [/^(?:detener|parar)(?: el)? v[ií]deo$/],
    cameraOff: [/^iniciar(?: el| mi)? v[ií]deo$/],
    gotIt: [/^entendido$/],
    joinAudio: [/^entrar al audio por computadora$/, /^conectar audio$/],
    leaveMeeting: [/^salir de la reunión$/],
    endForAll: [/^finalizar la reunión para todos$/],
    chat: [/^(?:abrir|cerrar) el panel de chat$/],
    speakerView: [/^vista del orador$/],
    galleryView: [/^vista de galería$/],
  },
}
