"""Names of columns in six languages, as regular expressions, by what such a column is.

The words are compared in small letters, without accents, and with one blank between words, so
that "Prénom", "Straße" and "homePhone_nr" are "prenom", "strasse" and "home phone nr".
English, German, French, Spanish, Italian and Dutch stand below each other in each list.
"""

from __future__ import annotations

__all__ = [
    "SURNAMES",
]


IDENTIFIER_NAMES = (
    "e ?mail( address)?|phone|telephone|tel|mobile|fax|ssn|social security|passport|iban|bic"
    "|(bank |credit )?card( number)?|account( number)?|ip( address)?|mac address|url"
    "|home ?page|user ?name|login|first ?name|last ?name|given ?name|family ?name"
    "|middle ?name|surname"
    "|fore ?name|full ?name|maiden name|address|street( address)?|house number|nhs( number)?"
    "|medicare( number)?|tax (file )?number|tfn|national id|licen[cs]e( plate| number)?"
    "|number plate|vin|device id|imei|photo|fingerprint|latitude|longitude|lat|lon|gps"
    "|medical record( number)?|mrn|sort code|(national )?insurance number|ni (no|number)"
    "|next of kin|emergency contact|addr|npi|upn|handle|vehicle reg\\w*"
    "|(house|hse) (no|nr|num|number)"
    "|ruf(nr|nummer)|sozialvers( nr)?|sv ?(nr|nummer)"
    "|vorname|nachname|familienname|geburtsname|rufname|\\w*(anschrift|adresse)|strasse"
    "|haus ?(nr|nummer)|hnr|hs nr|str|zuname|telefon\\w*|handy\\w*|mobil(nummer|telefon)"
    "|(personal)?ausweis\\w*"
    "|reisepass\\w*|steuer ?(id\\w*|nr|nummer)|sozialversicherungs\\w*"
    "|(kranken)?versicher(ungs|ten) ?(nr|nummer)"
    "|krankenversicher\\w*|rentenversicherungs\\w*|konto ?(nr|nummer)?|kreditkarte\\w*"
    "|kfz kennzeichen|benutzername|ahv( ?(nr|nummer))?"
    "|prenoms?|nom de (famille|naissance|jeune fille)|courriel|securite sociale|nir|passeport"
    "|carte d identite|numero fiscal|rue|plaque d immatriculation|identifiant national"
    "|nom patient|nom d usage|voie|avs|ipp|apellidos?|nhc"
    "|correo( electronico)?|telefono|movil|direccion|calle"
    "|domicilio|dni|nie|nif"
    "|pasaporte|seguridad social|cuenta bancaria|tarjeta( sanitaria)?"
    "|cogn(ome)?|nominativo|numero civico|codice fiscale|cellulare|indirizzo|passaporto"
    "|carta d identita"
    "|tessera sanitaria|partita iva|p iva|recapito( tel)?|targa|posta elettronica"
    "|conto corrente"
    "|voornaam|achternaam|familienaam|voorletters|straat|huis ?(nr|nummer)"
    "|(woon)?adres|telefoon\\w*"
    "|mobiel|mobiele nummer|bsn|burgerservicenummer|paspoort\\w*|rijbewijs\\w*"
    "|rekeningnummer|kenteken"
)


ADDRESS_NAMES = (
    "(home )?address|\\w*(anschrift|adresse)|direccion|domicilio|indirizzo|(woon)?adres"
)
"""Addresses, of which a column may hold the postcode alone."""


POSTCODE_NAMES = (
    "zip|zip ?code|post ?code|plz|postleitzahl|code postal|cp|codigo postal|cap|postcode"
)


PEOPLE = (
    "patient|person|people|customer|client|member|employee|student|pupil|user|subject|participant"
    "|applicant|claimant|beneficiary|victim|voter|tenant|donor|caller|staff member"
    "|respondent|teacher|doctor|household|hh|family|insured|guardian"
    "|kunden?|patienten?|personen?|mitarbeiter|mitglieds?|teilnehmer|schueler|schuler|bewohner|ansprechpartner|erziehungsber\\w*"
    "|haushalts?|versicherten?|arbeitnehmer|angestellter?|buerger|burger|klient"
    "|personne|allocataire|salarie|employe|assure|usager|adherent|beneficiaire|eleve|menage|foyer"
    "|paciente|cliente|persona|alumno|hogar|empleado|trabajador"
    "|usuario|asegurado|beneficiario"
    "|paziente|assistito|utente|famiglia|nucleo|dipendente|studente|clienten?|klant(en)?"
    "|deelnemer|huishouden|gezin|medewerker|werknemer|inwoner|verzekerde"
)
"""People, and what several of them live in."""


CUT = "pat|pt|pers|cust|emp|stud|kd|resp|insurance|policy|case|fall|episode"
"""Words cut short, and what one person has one of: only beside a name or number."""


WORD_FOR_NAME = "names?|nom|nome|nombres?|naam"


NAME_ALONE = (
    f"({WORD_FOR_NAME})|({PEOPLE}|{CUT})s? ?({WORD_FOR_NAME})"
    "|[flmsvn] ?name|initials|initialen|iniciales|iniziali|voorl"
    f"|({WORD_FOR_NAME}) (du |de |del |van )?({PEOPLE})"
)
"""All words of a column that names people, even if the names repeat."""


NUMBER_NAMES = (
    "id|uid|uuid|guid|identifier|record|key|name|nr|no|number|index|serial|ref"
    "|nummer|kennung|kennziffer|\\w+nummer|\\w{3,}nr|numero|matricule|matricola|identifiant"
    "|identificador"
    "|kenmerk"
)


NAMES_OF_LETTERS = "last|first|middle|mi|given|family|suffix"
"""All words of a column that names people, if its cells are words."""


NAMED_PEOPLE = (
    "guardian|parents?|mother|father|spouse|contact|doctor|physician|attending|consultant|gp"
    "|surgeon|provider|therapist|teacher|case ?worker|manager|supervisor"
    "|\\w*arzt|\\w*aerztin|behandler|lehrer(in)?|mutter|vater|ehegatte|ansprechpartner"
    "|sachbearbeiter(in)?|betreuer(in)?|berater(in)?|vorgesetzter?|erziehungsber\\w*"
    "|medecin\\w*|praticien|enseignant|mere|pere|conjoint|resp(onsable)?|interlocuteur"
    "|medico|profesor|tutor|padre|madre|conyuge|contacto|responsable"
    "|mmg|insegnante|genitore|coniuge|referente|huisarts|\\w*arts|leraar|ouder|moeder|vader"
    "|contactpersoon|behandelaar"
)
"""People beside the person of a record, whose cells may be names."""


PERSON_NUMBERS = (
    f"({PEOPLE}|{CUT}) ?({NUMBER_NAMES})|(id|nr|no|n|numero|nummer) ?({PEOPLE}|{CUT})"
    "|mrn|medical record( number)?|nhs( number)?|ssn|social security( number)?|ipp|nir|bsn"
)
"""A number that each person or household has, and that may be on several records."""


SENSITIVE_NAMES = (
    "disease|illness|diag(nos[ei]s)?|dx ?\\d*|icd ?\\d*|symptoms?|treatment"
    "|medication|drugs?|therapy"
    "|hiv|std|cancer|diabetes|pregnan(t|cy)|disab(led|ility)|mental|health|condition|blood"
    "|smok\\w*|tobacco|alcohol|income|salary|wages?|earnings|pay|wealth|debt|credit|capital"
    "|loan|balance|rent|benefits?|religion|faith|politic(s|al)|party|vote|union|orientation"
    "|sexuality|crime|criminal|offen[cs]e|conviction|arrest|genetic|genome|score"
    "|grade(?! ?le?ve?l)"
    "|charges?|costs?|outcome|death|survived|bmi|allerg(y|ies)|disciplinary"
    "|amt|amounts?|paid|gross|chg|arrears|voted|depress(ed|ion)|anxiety|iep|sen|fsm|frl|gpa"
    "|bonus|commission|(hourly|pay) rate|remuneration|worth|mortgage|welfare|food stamps|cd4"
    "|psa|e ?gfr|creatinine|lab( result)?|rating|performance|reason|looked after"
    "|absen(t|ces?)|(hb)?a1c|blood pressure|hrg|sti|hepatitis|covid"
    "|sick(ness)?|(reason|cause) (for|of)|(admission|discharge) reason|drg|ccam|icpc|atc"
    "|suicid(e|al)|abuse|referral( reason)?|complaints?"
    "|addiction|seropositive|asylum|caste|immigration status"
    "|\\w*diagnose\\w*|\\w*krankheit\\w*|\\w*erkrankung\\w*|befund\\w*|therapie|behandlung"
    "|medikament\\w*|\\w*medikation|abfindung|vergue?tung|bezue?ge|prae?mie|hypothek|sozialhilfe"
    "|hartz|bue?rgergeld|\\w+grund|\\w*beurteilung|labor\\w*|kreatinin"
    "|\\w*brutto\\w*|\\w*netto\\w*|\\w*betrag|\\w*saldo|\\w*guthaben|\\w*eink|konf|schw ?b"
    "|gd ?b|schwerbeh\\w*|pflegestufe|notendurchschnitt|blutdruck|rauch\\w*|mahnung(en)?"
    "|\\w*einkommen|\\w*gehalt|\\w*lohn|\\w*verdienst|vermoe?gen|schulden|kredit|rente|miete"
    "|konfession"
    "|partei|gewerkschaft|vorstrafen?|straftat\\w*|behinderung|schwanger\\w*|blutgruppe"
    "|gesundheit\\w*|\\w+ursache|\\w*(aufnahme|entlassungs)grund|allergien?"
    "|\\w*alkohol\\w*|\\w*sucht"
    "|\\w*kosten|krankschreibung|fehltage|abmahnung(en)?|religion\\w*|pfae?ndung|schufa|\\w*pflegegrad"
    "|diagnostic|maladie|pathologie|traitement|medicaments?|symptomes?|revenus?|salaire"
    "|dettes?"
    "|loyer|syndicat|infractions?|condamnations?|handicap|grossesse|enceinte|groupe sanguin"
    "|sante|vih|sida|allergies?|alcool\\w*|seropositi\\w*|motif d\\w*|cause d\\w+|cim ?\\d*"
    "|ald|arrets?|couts?|montants?|brut|antecedents|evaluation|prime|rsa"
    "|solde|rqth|prestations?|quotient familial|fumeur"
    "|mode de sortie|deces"
    "|addictions?|tabac|impayes?|orientation sexuelle|opinions?|confession"
    "|enfermedad(es)?|diagnostico|patologia|tratamiento|medicamentos?|sintomas?|ingresos"
    "|salario|sueldo|renta|deudas?|alquiler|sindicato|delitos?|condenas?|discapacidad|embarazo"
    "|embarazada|grupo sanguineo|salud|prestamo|alergias?|alcohol\\w*|(motivo|causa) de"
    "|cie ?\\d+"
    "|costes?|adiccion(es)?|religion|nomina|bajas?|minusval\\w*|importe|bruto|neto|irpf"
    "|discap\\w*|afil\\w*|fumador|(motivo|causa)|retribucion|remuneracion|antecedentes"
    "|evaluacion|hipoteca"
    "|diagnosi|malattia|terapia|trattamento|farmac[oi]|sintom[oi]|reddito|stipendio|debit[oi]"
    "|affitto|sindacato|reat[oi]|condann[ae]|disabilita|gravidanza|gruppo sanguigno|salute"
    "|religione|mutuo|allergi[ae]|alcol\\w*|(motivo|causa) (di|del)|esenzion[ei]|invalidita"
    "|dipendenz[ae]|retribuzione|cost[oi]|import[oi]|lord[oi]|isee|esenz|fumatore"
    "|l(egge)? 104|dsa|media voti|valutazione|ipoteca"
    "|\\w*ziekte\\w*|aandoening\\w*|behandeling|medicatie|klachten|\\w*inkomen|\\w*salaris|\\w*loon"
    "|schuld(en)?"
    "|uitkering|huur|vakbond|strafblad|veroordeling|zwanger\\w*|bloedgroep|gezondheid|geloof"
    "|godsdienst|pensioen|\\w*schuld\\w*|allergie(en)?|\\w*opnamereden|reden van"
    "|doodsoorzaak|verslaving\\w*"
    "|ziekteverzuim|arbeidsongeschikt\\w*|bedrag|(jaar|bruto|netto)?ink|roker|rook\\w*|bkr\\w*"
    "|beoordeling|hypotheek"
)


QUASI_NAMES = (
    "age|dob|birth|birth ?day|birth ?date|year of birth|sex|gender|race|ethnic(ity)?"
    "|nationality|native|country|citizenship|language|zip|zip ?code|post ?code|postal|city"
    "|town|village|suburb|district|county|state|region|province|area|location|place|tract"
    "|block|soc ?\\d{2,4}|isco ?\\d*|naics|nace|fips|[lm]soa ?\\d*|nuts ?\\d*|constituency"
    "|precinct|yob"
    "|marital"
    "|marriage|married|civil status|relationship|family|household|children|education|school"
    "|degree"
    "|occupation|job|profession|employer|work ?class|industry|department|position|title"
    "|height|weight|eyes?|hair|colou?r|date|admission|discharge|veteran|military|car|vehicle"
    "|alter|geburts\\w*|geboren|geschlecht|plz|postleitzahl|(wohn|geburts)?ort|stadt|gemeinde"
    "|(land)?kreis|(bundes)?land|familienstand|zivilstand|beruf\\w*|taetigkeit|tatigkeit"
    "|arbeitgeber|branche|ausbildung|\\w*abschluss|bildung\\w*|staatsangehoe?rigkeit"
    "|nationalitae?t|herkunft|sprache|haushalt\\w*|kinder\\w*|groesse|grosse|gewicht"
    "|\\w*groe?sse|ags|gkz|gemeindeschlue?ssel|kld ?b ?\\d*|\\w*wahlkreis|\\w*bezirk"
    "|kanton|klasse|stadtteil|jahrgang|augenfarbe|haarfarbe|\\w*datum|aufnahme|entlassung"
    "|naissance|sexe|genre|code postal|cp|ville|commune|departement|pays|etat civil"
    "|situation (de famille|familiale)|metier|emploi|employeur|etudes|diplome|nationalite"
    "|insee|iris|canton|circonscription|quartier|langue|menage|enfants|taille|poids|lieu"
    "|edad|nacimiento|sexo|genero|codigo postal|ciudad|municipio|provincia|pais|estado civil"
    "|profesion|ocupacion|empleo|estudios|nacionalidad|idioma|hogar|hijos|estatura|altura|peso"
    "|fecha"
    "|eta|nascita|sesso|genere|cap|citta|comune|regione|paese|stato civile|professione"
    "|occupazione|impiego|titolo di studio|istruzione|nazionalita|cittadinanza|lingua|figli"
    "|altezza|data"
    "|leeftijd|geboorte\\w*|geslacht|woonplaats|gemeente|provincie|burgerlijke staat|beroep"
    "|werkgever|opleiding|nationaliteit|taal|huishouden|gezin|kinderen|lengte"
)


AGE_NAMES = "age|alter|edad|eta|leeftijd"
"""Ages, which others may know, of whatever they are the age at."""


YEAR_NAMES = "year|\\w*jahr|annee|ano|anno|\\w*jaar"
"""Years, which others may know, of whatever happened in them."""


TEXT_NAMES = (
    "comments?|remarks?|notes?|memo|free ?text|description|narrative"
    "|bemerkung(en)?|kommentare?|notiz(en)?|anmerkung(en)?|beschreibung|freitext"
    "|commentaires?|remarques?|observations?|comentarios?|observaciones|notas?"
    "|verlauf|anamnes[ei]s?|epikrise|arztbrief|compte rendu"
    "|osservazioni|commenti|opmerking(en)?|toelichting|notities"
)


WEIGHT_NAMES = (
    "(survey|sampl(e|ing)|person|household|design|frequency|expansion|final) weights?"
    "|\\w*wgt\\w*|pweights?|weighting( factor)?"
    "|(personen|haushalts)?gewichtung\\w*|hochrechnungs\\w*|ponderation|poids (de )?sondage"
    "|ponderacion|factor de expansion|peso campionario|coefficiente di riporto|wegingsfactor"
)
"""Weights of a survey, and not those of a body."""


BIRTH_NAMES = (
    "dob|d o b|\\w*birth\\w*|born|geb|geburts\\w*|geboren|naissance|ne e le|nee? le|ddn"
    "|nacimiento|nac|naiss"
    "|nascita|nasc|nato|nata|geboorte\\w*|gebdatum"
)


SURNAMES = frozenset(
    # English, without words of a colour or a trade
    "smith jones williams davis wilson anderson thomas jackson harris martin thompson"
    " robinson lewis walker hall allen young king wright hill scott adams nelson campbell"
    " mitchell roberts phillips evans edwards collins stewart morris rogers reed morgan"
    " bell murphy bailey cooper richardson howard ward hughes watson kelly sanders bennett"
    " wood patel ali khan nguyen"
    # German
    " schmidt müller meyer schneider fischer weber becker schulz hoffmann koch bauer"
    " richter klein wolf schröder neumann schwarz zimmermann braun krüger hofmann hartmann"
    " lange schmitt werner schmitz krause meier lehmann huber mayer herrmann köhler walter"
    " könig kaiser fuchs lang scholz möller weiß jung hahn schubert vogel friedrich keller"
    " günther frank berger winkler roth beck lorenz baumann franke albrecht schuster simon"
    " ludwig böhm winter kraus schumacher"
    # French
    " bernard dubois durand moreau laurent lefebvre leroy roux bertrand morel fournier"
    " girard bonnet dupont lambert fontaine rousseau vincent faure mercier blanc guerin"
    " boyer garnier"
    # Spanish
    " garcía garcia rodríguez gonzález fernández lópez martínez sánchez pérez gómez martín"
    " jiménez ruiz hernández díaz moreno muñoz álvarez romero alonso gutiérrez navarro"
    " torres domínguez"
    # Italian
    " rossi russo ferrari esposito bianchi romano colombo ricci marino greco bruno gallo"
    " conti costa giordano mancini rizzo lombardi moretti barbieri fontana santoro mariani"
    " rinaldi"
    # Dutch
    " jansen bakker visser smit meijer mulder bos vos peters hendriks dekker brouwer"
    " dijkstra smits postma hoekstra koster prins huisman postma kuipers veenstra".split()
)
"""Surnames that are common in six languages."""
