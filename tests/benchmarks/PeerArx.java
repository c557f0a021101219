import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.deidentifier.arx.ARXAnonymizer;
import org.deidentifier.arx.ARXConfiguration;
import org.deidentifier.arx.ARXResult;
import org.deidentifier.arx.AttributeType.Hierarchy;
import org.deidentifier.arx.Data;
import org.deidentifier.arx.criteria.KAnonymity;
import org.deidentifier.arx.metric.Metric;

/** Times ARX's search on tables from files; a line of JSON for each limit and measure. */
public class PeerArx {
    /** Arguments: folder, k, warm-ups, repeats, then the names of the columns. */
    public static void main(String[] arguments) throws Exception {
        String folder = arguments[0];
        int k = Integer.parseInt(arguments[1]);
        int warm = Integer.parseInt(arguments[2]), repeats = Integer.parseInt(arguments[3]);
        String[] names = Arrays.copyOfRange(arguments, 4, arguments.length);
        OperatingSystemMXBean system =
            (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        for (String measure : new String[] {"loss", "average_class_size"}) {
            for (double limit : new double[] {0, 0.05, 1}) {
                Data data = Data.create(folder + "/data.csv", StandardCharsets.UTF_8, ',');
                for (int j = 0; j < names.length; j++) {
                    String file = folder + "/" + j + ".csv";
                    Hierarchy tree = Hierarchy.create(file, StandardCharsets.UTF_8, ',');
                    data.getDefinition().setAttributeType(names[j], tree);
                }
                ARXConfiguration asked = ARXConfiguration.create();
                asked.addPrivacyModel(new KAnonymity(k));
                asked.setSuppressionLimit(limit);
                asked.setQualityModel(measure.equals("loss")
                    ? Metric.createLossMetric() : Metric.createAECSMetric());
                double[] seconds = new double[repeats];
                long before = 0;
                ARXResult found = null;
                for (int turn = -warm; turn < repeats; turn++) {
                    before = turn == 0 ? system.getProcessCpuTime() : before;
                    long start = System.nanoTime();
                    found = new ARXAnonymizer().anonymize(data, asked);
                    double passed = (System.nanoTime() - start) / 1e9;
                    data.getHandle().release();
                    if (turn >= 0) {
                        seconds[turn] = passed;
                    }
                }
                // The system counts in hundredths of a second, so all turns are taken together.
                double cpu = (system.getProcessCpuTime() - before) / 1e9 / repeats;
                String levels = found.getGlobalOptimum() == null
                    ? "null" : Arrays.toString(found.getGlobalOptimum().getTransformation());
                System.out.printf("{\"measure\": \"%s\", \"limit\": %s, \"levels\": %s,"
                    + " \"seconds\": %s, \"cpu\": %s}%n", measure, limit, levels,
                    Arrays.toString(seconds), cpu);
            }
        }
    }
}
