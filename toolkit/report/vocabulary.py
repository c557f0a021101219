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
    "|next of kin|emergency contact"
    "|ruf(nr|nummer)|sozialvers( nr)?|sv ?(nr|nummer)"
    "|vorname|nachname|familienname|geburtsname|rufname|\\w*(anschrift|adresse)|strasse"
    "|hausnummer|telefon\\w*|handy\\w*|mobil(nummer|telefon)|(personal)?ausweis\\w*"
    "|reisepass\\w*|steuer ?(id\\w*|nr|nummer)|sozialversicherungs\\w*"
    "|(kranken)?versicher(ungs|ten) ?(nr|nummer)"
    "|krankenversicher\\w*|rentenversicherungs\\w*|konto ?(nr|nummer)?|kreditkarte\\w*"
    "|kfz kennzeichen|benutzername|ahv( ?(nr|nummer))?"
    "|prenoms?|nom de (famille|naissance|jeune fille)|courriel|securite sociale|nir|passeport"
    "|carte d identite|numero fiscal|rue|plaque d immatriculation|identifiant national"
    "|nom patient|ipp|apellidos?|correo( electronico)?|telefono|movil|direccion|calle"
    "|domicilio|dni|nie|nif"
    "|pasaporte|seguridad social|cuenta bancaria|tarjeta( sanitaria)?"
    "|cognome|nominativo|codice fiscale|cellulare|indirizzo|passaporto|carta d identita"
    "|tessera sanitaria|partita iva|p iva|recapito( tel)?|targa|posta elettronica"
    "|conto corrente"
    "|voornaam|achternaam|familienaam|voorletters|straat|huisnummer|(woon)?adres|telefoon\\w*"
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
    "patient|person|people|customer|client|member|employee|student|user|subject|participant"
    "|applicant|claimant|beneficiary|victim|voter|tenant|donor|caller|staff member"
    "|respondent|teacher|doctor|household|hh|family"
    "|kunden?|patienten?|personen?|mitarbeiter|mitglieds?|teilnehmer|schueler|schuler|bewohner"
    "|haushalts?|versicherten?|arbeitnehmer|angestellter?|buerger|burger|klient"
    "|personne|salarie|employe|assure|usager|adherent|beneficiaire|eleve|menage|foyer"
    "|paciente|cliente|persona|alumno|hogar|empleado|trabajador"
    "|usuario|asegurado|beneficiario"
    "|paziente|assistito|utente|famiglia|nucleo|dipendente|studente|clienten?|klant(en)?"
    "|deelnemer|huishouden|gezin|medewerker|werknemer|inwoner|verzekerde"
)
"""People, and what several of them live in."""


WORD_FOR_NAME = "names?|nom|nome|nombres?|naam"


NAME_ALONE = (
    f"({WORD_FOR_NAME})|({PEOPLE})s? ?({WORD_FOR_NAME})"
    f"|({WORD_FOR_NAME}) (du |de |del |van )?({PEOPLE})"
)
"""All words of a column that names people, even if the names repeat."""


NUMBER_NAMES = (
    "id|uid|uuid|guid|identifier|record|key|name|nr|no|number|index|serial|ref"
    "|nummer|kennung|kennziffer|\\w+nummer|\\w{3,}nr|numero|matricule|matricola|identifiant"
    "|identificador"
    "|kenmerk"
)


PERSON_NUMBERS = (
    f"({PEOPLE}) ?({NUMBER_NAMES})|(id|nr|no|numero|nummer) ?({PEOPLE})"
    "|mrn|medical record( number)?|nhs( number)?|ssn|social security( number)?|ipp|nir|bsn"
)
"""A number that each person or household has, and that may be on several records."""


SENSITIVE_NAMES = (
    "disease|illness|diagnos[ei]s|icd ?\\d*|symptoms?|treatment|medication|drugs?|therapy"
    "|hiv|std|cancer|diabetes|pregnan(t|cy)|disab(led|ility)|mental|health|condition|blood"
    "|smok(er|ing)|alcohol|income|salary|wages?|earnings|pay|wealth|debt|credit|capital"
    "|loan|balance|rent|benefits?|religion|faith|politic(s|al)|party|vote|union|orientation"
    "|sexuality|crime|criminal|offen[cs]e|conviction|arrest|genetic|genome|score|grade"
    "|charges?|costs?|outcome|death|survived|bmi|allerg(y|ies)|disciplinary"
    "|sick(ness)?|(reason|cause) (for|of)|(admission|discharge) reason|dx|drg|ccam|icpc|atc"
    "|suicid(e|al)|abuse|referral( reason)?|complaints?"
    "|addiction|seropositive|asylum|caste|immigration status"
    "|\\w*diagnose\\w*|\\w*krankheit\\w*|erkrankung\\w*|befund\\w*|therapie|behandlung"
    "|medikament\\w*"
    "|\\w*einkommen|\\w*gehalt|\\w*lohn|\\w*verdienst|vermoe?gen|schulden|kredit|rente|miete"
    "|konfession"
    "|partei|gewerkschaft|vorstrafen?|straftat\\w*|behinderung|schwanger\\w*|blutgruppe"
    "|gesundheit\\w*|raucher|\\w+ursache|\\w*(aufnahme|entlassungs)grund|allergien?"
    "|\\w*alkohol\\w*|\\w*sucht"
    "|\\w*kosten|krankschreibung|fehltage|abmahnung(en)?|religion\\w*|pfaendung|schufa|\\w*pflegegrad"
    "|diagnostic|maladie|pathologie|traitement|medicaments?|symptomes?|revenus?|salaire"
    "|dettes?"
    "|loyer|syndicat|infractions?|condamnations?|handicap|grossesse|enceinte|groupe sanguin"
    "|sante|vih|sida|allergies?|alcool\\w*|seropositi\\w*|motif d\\w*|cause d\\w+|cim ?\\d*"
    "|ald|arrets?|couts?"
    "|addictions?|tabac|impayes?|orientation sexuelle|opinions?|confession"
    "|enfermedad(es)?|diagnostico|patologia|tratamiento|medicamentos?|sintomas?|ingresos"
    "|salario|sueldo|renta|deudas?|alquiler|sindicato|delitos?|condenas?|discapacidad|embarazo"
    "|embarazada|grupo sanguineo|salud|prestamo|alergias?|alcohol\\w*|(motivo|causa) de"
    "|cie ?\\d+"
    "|costes?|adiccion(es)?|religion|nomina|bajas?|minusvalia"
    "|diagnosi|malattia|terapia|trattamento|farmac[oi]|sintom[oi]|reddito|stipendio|debit[oi]"
    "|affitto|sindacato|reat[oi]|condann[ae]|disabilita|gravidanza|gruppo sanguigno|salute"
    "|religione|mutuo|allergi[ae]|alcol\\w*|(motivo|causa) (di|del)|esenzion[ei]|invalidita"
    "|dipendenz[ae]|retribuzione|cost[oi]"
    "|\\w*ziekte\\w*|aandoening\\w*|behandeling|medicatie|klachten|\\w*inkomen|\\w*salaris|\\w*loon"
    "|schuld(en)?"
    "|uitkering|huur|vakbond|strafblad|veroordeling|zwanger\\w*|bloedgroep|gezondheid|geloof"
    "|godsdienst|pensioen|\\w*schuld\\w*|allergie(en)?|\\w*opnamereden|reden van"
    "|doodsoorzaak|verslaving\\w*"
    "|ziekteverzuim|arbeidsongeschikt\\w*"
)


QUASI_NAMES = (
    "age|dob|birth|birth ?day|birth ?date|year of birth|sex|gender|race|ethnic(ity)?"
    "|nationality|native|country|citizenship|language|zip|zip ?code|post ?code|postal|city"
    "|town|village|suburb|district|county|state|region|province|area|location|place|tract"
    "|block"
    "|marital"
    "|marriage|married|civil status|relationship|family|household|children|education|school"
    "|degree"
    "|occupation|job|profession|employer|work ?class|industry|department|position|title"
    "|height|weight|eyes?|hair|colou?r|date|admission|discharge|veteran|military|car|vehicle"
    "|alter|geburts\\w*|geboren|geschlecht|plz|postleitzahl|(wohn|geburts)?ort|stadt|gemeinde"
    "|(land)?kreis|(bundes)?land|familienstand|zivilstand|beruf\\w*|taetigkeit|tatigkeit"
    "|arbeitgeber|branche|ausbildung|\\w*abschluss|bildung\\w*|staatsangehoe?rigkeit"
    "|nationalitae?t|herkunft|sprache|haushalt\\w*|kinder\\w*|groesse|grosse|gewicht"
    "|augenfarbe|haarfarbe|\\w*datum|aufnahme|entlassung"
    "|naissance|sexe|genre|code postal|cp|ville|commune|departement|pays|etat civil"
    "|situation (de famille|familiale)|metier|emploi|employeur|etudes|diplome|nationalite"
    "|langue|menage|enfants|taille|poids|lieu"
    "|edad|nacimiento|sexo|genero|codigo postal|ciudad|municipio|provincia|pais|estado civil"
    "|profesion|ocupacion|empleo|estudios|nacionalidad|idioma|hogar|hijos|estatura|altura|peso"
    "|fecha"
    "|eta|nascita|sesso|genere|cap|citta|comune|regione|paese|stato civile|professione"
    "|occupazione|impiego|titolo di studio|istruzione|nazionalita|cittadinanza|lingua|figli"
    "|altezza|data"
    "|leeftijd|geboorte\\w*|geslacht|woonplaats|gemeente|provincie|burgerlijke staat|beroep"
    "|werkgever|opleiding|nationaliteit|taal|huishouden|gezin|kinderen|lengte"
)


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
